import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';

const fresh = shareOpened(() => openFreshAccounts());

async function createTree(name: string) {
  const { directory } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization(name);
  const { id: projectId } = await directory.createProject({ organizationId, name: `${name} project` });
  const { id: memberId } = await directory.addMember({
    organizationId,
    name: `${name} member`,
    role: 'viewer',
  });
  const { key: own } = await directory.createKey({ projectId, label: `${name} own`, memberId });
  const { key } = await directory.createKey({ projectId, label: `${name} key` });
  return { organizationId, projectId, memberId, ownKeyId: own.id, keyId: key.id };
}

test('names are those of the organization and the member that a caller is bound to, also of removed records', async () => {
  const { directory } = fresh.accounts;
  const [acme, other] = [await createTree('Acme'), await createTree('Other')];
  await directory.deleteKey(acme.ownKeyId);
  await directory.removeMember(acme.memberId);
  const ids = [...Object.values(acme), ...Object.values(other), 'key_none'];
  const list = async (bound: { organizationId?: string; memberId?: string }) =>
    new Map((await directory.listNames({ ids, ...bound })).map(({ id, name }) => [id, name]));
  const ofAcme = new Map([
    [acme.organizationId, 'Acme'],
    [acme.projectId, 'Acme project'],
    [acme.memberId, 'Acme member'],
    [acme.ownKeyId, 'Acme own'],
    [acme.keyId, 'Acme key'],
  ]);
  const { organizationId, memberId } = acme;
  assert.equal((await list({})).size, 10);
  assert.deepEqual(await list({ organizationId }), ofAcme);
  assert.deepEqual([...(await list({ organizationId, memberId })).keys()].sort(), [
    ...[acme.ownKeyId, memberId].sort(),
  ]);
  assert.equal((await list({ organizationId: other.organizationId, memberId })).size, 0);
});
