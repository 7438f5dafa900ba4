import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sendAdmin } from '../../../../test/support/admin-calls.ts';
import { assertRefusal } from '../../../../test/support/refusal.ts';
import type { TestAccount } from '../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';

let other: TestAccount;
const gateway = shareGateway();
before(async () => {
  other = await gateway.createAccount({ label: 'other key' });
});

async function open(organizationId?: string): Promise<(query: Record<string, string>) => Promise<Response>> {
  const given = { label: 'test', ...(organizationId !== undefined && { organizationId }) };
  const { secret } = await gateway.accounts.directory.createAdminKey(given);
  return (query) => {
    const path = `/names?${new URLSearchParams(query).toString()}`;
    return sendAdmin(gateway, { method: 'GET', path }, { authorization: `Bearer ${secret}` });
  };
}

async function read(answer: Promise<Response>): Promise<Record<string, string>> {
  const response = await answer;
  const list = (await response.json()) as { data: { id: string; name: string }[] };
  assert.equal(response.status, 200, JSON.stringify(list));
  return Object.fromEntries(list.data.map(({ id, name }) => [id, name]));
}

const namesOf = ({ keyId, projectId, organizationId }: TestAccount, label: string) => ({
  [keyId]: label,
  [projectId]: 'default',
  [organizationId]: 'Acme',
});

test('an admin key of an organization reads its names alone, whatever organization it asks for', async () => {
  const [all, bound] = [await open(), await open(gateway.account.organizationId)];
  const [own, foreign] = [namesOf(gateway.account, 'test key'), namesOf(other, 'other key')];
  const ids = Object.keys({ ...own, ...foreign }).join();
  assert.deepEqual(await read(all({ ids })), { ...own, ...foreign });
  assert.deepEqual(await read(all({ ids, organization_id: other.organizationId })), foreign);
  assert.deepEqual(await read(bound({ ids })), own);
  assert.deepEqual(await read(bound({ ids, organization_id: other.organizationId })), {});
});

test('ids are values and no part of a statement', async () => {
  const ask = await open();
  const { keyId } = gateway.account;
  for (const odd of [`' OR '1'='1`, '{}', '%', 'x'.repeat(5_000), '\u{10ffff}', '"'])
    assert.deepEqual(await read(ask({ ids: `${odd},${keyId},,${keyId}` })), { [keyId]: 'test key' }, odd);
});

test('of none and of more than 100 ids no names are read', async () => {
  const ask = await open();
  for (const query of [{}, { ids: '' }, { ids: ',' }, { ids: 'x,'.repeat(101) }]) {
    const message = await assertRefusal(await ask(query), {
      format: 'chat',
      status: 400,
      code: 'invalid_request',
    });
    assert.equal(message, 'ids: must be 1 to 100 ids, separated by commas');
  }
  assert.deepEqual(await read(ask({ ids: 'x,'.repeat(100) })), {});
});
