import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Accounts, Caller, MemberRole } from '#accounts';
import { isRoleAllowed } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';
import { MEMBER_ROLES } from '../roles/roles.ts';

const fresh = shareOpened(() => openFreshAccounts());
let organizationId: string;
let projectId: string;

before(async () => {
  ({ projectId, organizationId } = fresh.caller);
});

const add = (name: string, role: MemberRole = 'member') =>
  fresh.accounts.directory.addMember({ organizationId, name, role });

async function createKeyOf(memberId: string): Promise<{ secret: string; keyId: string }> {
  const { secret, key } = await fresh.accounts.directory.createKey({ projectId, label: 'k', memberId });
  assert.equal(key.memberId, memberId);
  return { secret, keyId: key.id };
}

/** Retries until the answer is as expected: a change reaches other processes by notification. */
async function testLedger(
  accounts: Accounts,
  secret: string,
  isWanted: (caller: Caller | undefined) => boolean,
) {
  const identify = async () => accounts.identify(secret);
  await until('the caller as wanted', async () => isWanted(await identify().catch(() => undefined)));
}

test('a member is added, listed only in its organization, and found by its keys', async () => {
  const { directory } = fresh.accounts;
  const member = await directory.addMember({
    organizationId,
    name: 'Ada',
    email: 'ada@example.com',
    role: 'admin',
    limit: 5n,
  });
  assert.deepEqual(member, {
    id: member.id,
    organizationId,
    name: 'Ada',
    email: 'ada@example.com',
    role: 'admin',
    usage: 0n,
    limit: 5n,
    recurringLimit: null,
    keys: 0,
    createdAt: member.createdAt,
  });
  const { secret, keyId } = await createKeyOf(member.id);
  const caller = await fresh.accounts.identify(secret);
  assert.deepEqual([caller.memberId, caller.role, caller.keyId], [member.id, 'admin', keyId]);
  const stranger = await directory.createOrganization('Other');
  assert.deepEqual(await directory.listMembers({ organizationId: stranger.id }), []);
  const [listed] = await directory.listMembers({ memberId: member.id });
  assert.deepEqual(listed, { ...member, keys: 1 });
  const keys = await directory.listKeys({ memberId: member.id });
  assert.deepEqual(
    keys.map(({ id }) => id),
    [keyId],
  );
});

test('a key is created only for a member of its own organization', async () => {
  const { directory } = fresh.accounts;
  const other = await directory.createOrganization('Other');
  const stranger = await directory.addMember({ organizationId: other.id, name: 'S', role: 'owner' });
  const gone = await add('gone');
  await directory.removeMember(gone.id);
  for (const memberId of [stranger.id, gone.id, 'mem_ghost']) {
    const making = directory.createKey({ projectId, label: 'k', memberId });
    await assert.rejects(making, {
      code: 'not_found',
      message: /no such member in the organization of the project$/,
    });
  }
});

test('an address names one member of an organization; a removed member frees it', async () => {
  const { directory } = fresh.accounts;
  const input = { organizationId, name: 'E', role: 'member' as const };
  const first = await directory.addMember({ ...input, email: 'e@example.com' });
  await assert.rejects(directory.addMember({ ...input, email: 'E@example.com' }), {
    code: 'invalid_request',
  });
  await directory.removeMember(first.id);
  await directory.addMember({ ...input, email: 'E@example.com' });
});

test('the longest address that e-mail can deliver to is accepted', async () => {
  const email = `${'e'.repeat(242)}@example.com`;
  assert.equal(email.length, 254);
  const added = await fresh.accounts.directory.addMember({
    organizationId,
    name: 'L',
    role: 'member',
    email,
  });
  assert.equal(added.email, email);
});

test('invalid input is refused, and unknown ids are not found', async () => {
  const { directory } = fresh.accounts;
  const { id } = await add('M');
  const input = { organizationId, name: 'X', role: 'member' as const };
  const bad: (() => Promise<unknown>)[] = [
    () => directory.addMember({ ...input, name: ' ' }),
    () => directory.addMember({ ...input, email: 'nobody' }),
    () => directory.addMember({ ...input, email: `${'e'.repeat(243)}@example.com` }), // 255 characters
    () => directory.addMember({ ...input, role: 'king' as MemberRole }),
    () => directory.addMember({ ...input, limit: -1n }),
    () => directory.updateMember(id, { role: 'king' as MemberRole }),
    () => directory.updateMember(id, { limit: null, recurringLimit: { amount: -1n, period: 'day' } }),
  ];
  for (const one of bad) await assert.rejects(one(), { code: 'invalid_request' });
  assert.equal((await directory.updateMember(id, { limit: 0n, recurringLimit: null })).limit, 0n);
  const missing: (() => Promise<unknown>)[] = [
    () => directory.addMember({ ...input, organizationId: 'org_ghost' }),
    () => directory.updateMember('mem_ghost', { role: 'admin' }),
    () => directory.updateMember('mem_ghost', { limit: null, recurringLimit: null }),
    () => directory.removeMember('mem_ghost'),
  ];
  for (const one of missing) await assert.rejects(one(), { code: 'not_found' });
});

test('a change of role reaches every process, for keys and for session tokens created with them', async () => {
  const other = await fresh.join();
  const { directory } = fresh.accounts;
  const { id } = await add('R', 'admin');
  const { secret, keyId } = await createKeyOf(id);
  const { secret: token } = await directory.createSessionToken({ keyId, limit: 1n });
  assert.equal((await other.identify(secret)).role, 'admin');
  assert.equal((await other.identify(token, { sessions: true })).role, 'admin');
  await directory.updateMember(id, { role: 'viewer' });
  assert.equal((await fresh.accounts.identify(secret)).role, 'viewer', 'here at once');
  await testLedger(other, secret, (caller) => caller?.role === 'viewer');
  assert.equal((await other.identify(token, { sessions: true })).role, 'viewer');
});

test('each role has its permissions, and a key without a member has all of them', () => {
  const { keyId, keyLabel } = fresh.caller;
  const withoutMember: Caller = { keyId, keyLabel, organizationId, projectId };
  const may = (act: 'call' | 'mint') =>
    MEMBER_ROLES.filter((role) => isRoleAllowed({ ...withoutMember, role }, act));
  assert.deepEqual(may('call'), ['owner', 'admin', 'member']);
  assert.deepEqual(may('mint'), ['owner', 'admin']);
  assert.ok(isRoleAllowed(withoutMember, 'call') && isRoleAllowed(withoutMember, 'mint'));
});

test('removing a member ends its keys and their session tokens in every process, for good', async () => {
  const other = await fresh.join();
  const { directory } = fresh.accounts;
  const { id } = await add('G', 'admin');
  const keys = [await createKeyOf(id), await createKeyOf(id)];
  const { secret: token } = await directory.createSessionToken({ keyId: keys[0]!.keyId, limit: 1n });
  for (const { secret } of keys) await other.identify(secret);
  const { disabledKeyIds } = await directory.removeMember(id);
  assert.deepEqual([...disabledKeyIds].sort(), keys.map(({ keyId }) => keyId).sort());
  for (const { secret, keyId } of keys) {
    await assert.rejects(async () => fresh.accounts.identify(secret), { code: 'invalid_credential' });
    await testLedger(other, secret, (caller) => caller === undefined);
    await assert.rejects(directory.updateKey(keyId, { disabled: false }), { code: 'invalid_request' });
  }
  await assert.rejects(async () => other.identify(token, { sessions: true }), { code: 'invalid_credential' });
  assert.deepEqual(await directory.listMembers({ memberId: id }), []);
  await assert.rejects(directory.removeMember(id), { code: 'not_found' });
});

test('an organization keeps at least one owner, even if two are removed at the same time', async () => {
  const { directory } = fresh.accounts;
  const { id: organization } = await directory.createOrganization('Owned');
  const addOwner = (name: string) =>
    directory.addMember({ organizationId: organization, name, role: 'owner' });
  const [one, two] = [await addOwner('1'), await addOwner('2')];
  const outcomes = await Promise.allSettled([
    directory.removeMember(one.id),
    directory.updateMember(two.id, { role: 'admin' }),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const owners = (await directory.listMembers({ organizationId: organization })).filter(
    ({ role }) => role === 'owner',
  );
  assert.equal(owners.length, 1);
  await assert.rejects(directory.removeMember(owners[0]!.id), /last owner/);
  await assert.rejects(directory.updateMember(owners[0]!.id, { role: 'viewer' }), /last owner/);
  await addOwner('3');
  await directory.removeMember(owners[0]!.id);
});

test('an update changes what it names, also at the same time as another: the other limit and the role stay', async () => {
  const { directory } = fresh.accounts;
  const { id } = await add('both');
  const recurringLimit = { amount: 5n, period: 'week' } as const;
  for (let round = 0; round < 5; round += 1) {
    await directory.updateMember(id, { limit: null, recurringLimit: null });
    await Promise.all([
      directory.updateMember(id, { limit: 10n }),
      directory.updateMember(id, { recurringLimit }),
    ]);
    const { limit, recurringLimit: recurring } = await directory.getMember(id);
    assert.deepEqual({ limit, recurring }, { limit: 10n, recurring: recurringLimit });
  }
  const changed = await directory.updateMember(id, { role: 'admin', limit: null });
  assert.deepEqual([changed.role, changed.limit, changed.recurringLimit], ['admin', null, recurringLimit]);
});
