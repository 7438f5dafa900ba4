import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller } from '#accounts';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';

const USD = 1_000_000_000_000n;
const HOUR_MS = 3_600_000;

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock }));
const testLedger = new TestLedger(fresh);

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

/** Two keys of one member, in two projects of one organization. */
async function createMember(
  limits: Pick<
    Parameters<FreshAccounts['accounts']['directory']['addMember']>[0],
    'limit' | 'recurringLimit'
  >,
): Promise<{ id: string; one: Caller; two: Caller }> {
  const { directory, identify } = fresh.accounts;
  const { organizationId, projectId } = fresh.caller;
  const { id } = await directory.addMember({ organizationId, name: 'Ada', role: 'member', ...limits });
  const project = await directory.createProject({ organizationId, name: 'second' });
  const createCaller = async (of: string): Promise<Caller> => {
    const { secret } = await directory.createKey({ projectId: of, label: 'k', memberId: id });
    return identify(secret);
  };
  return { id, one: await createCaller(projectId), two: await createCaller(project.id) };
}

async function readRefusal(promise: Promise<unknown>): Promise<string> {
  const { code, status, message } = await refusalOf(promise);
  assert.deepEqual([code, status], ['member_budget_reached', 402]);
  return message;
}

async function readMember(id: string) {
  const [member] = await fresh.accounts.directory.listMembers({ memberId: id });
  assert.ok(member);
  return member;
}

test('all keys of a member share its budget, to the last pico-USD; keys of others do not', async () => {
  const { id, one, two } = await createMember({ limit: 10n * USD });
  await testLedger.use(one, 6n * USD);
  const message = await readRefusal(testLedger.reserve(two, 5n * USD));
  assert.match(message, /budget of 10 USD and has used 6 USD: 4 USD is left.*up to 5 USD.*does not reset/);
  await testLedger.use(two, 4n * USD);
  await readRefusal(testLedger.reserve(one, 1n));
  await testLedger.use(fresh.caller, 50n * USD);
  assert.equal((await readMember(id)).usage, 10n * USD);
  await isClean();
});

test('a request that any meter refuses leaves no hold on another', async () => {
  const { id, one } = await createMember({
    limit: 10n * USD,
    recurringLimit: { amount: 8n * USD, period: 'day' },
  });
  await fresh.accounts.directory.updateKey(one.keyId, { limit: 3n * USD });
  const held = async () => {
    const { rows } = await fresh.database.query({ text: 'SELECT id FROM meter WHERE held <> 0' });
    return rows.length;
  };
  await assert.rejects(testLedger.reserve(one, 4n * USD), { code: 'key_limit_reached' });
  assert.equal(await held(), 0);
  await fresh.accounts.directory.updateKey(one.keyId, { limit: null });
  await readRefusal(testLedger.reserve(one, 9n * USD));
  assert.equal(await held(), 0);
  await fresh.accounts.directory.updateMember(id, { limit: 2n * USD, recurringLimit: null });
  await readRefusal(testLedger.reserve(one, 3n * USD));
  assert.equal(await held(), 0);
  await isClean();
});

test('the period of a recurring budget starts with the first billed request of any key, and its reset time is reported', async () => {
  const { id, one, two } = await createMember({ recurringLimit: { amount: 10n * USD, period: 'hour' } });
  await testLedger.settle(one, (await testLedger.reserve(one, USD)).requestId, 0n); // costs nothing, starts no period
  clock.advance(1_234);
  await testLedger.use(one, 8n * USD);
  const resetsAt = clock.now() + HOUR_MS;
  assert.deepEqual((await readMember(id)).recurringUsage, { used: 8n * USD, resetsAt });
  clock.advance(HOUR_MS);
  const message = await readRefusal(testLedger.reserve(two, 3n * USD));
  assert.match(message, /recurring budget of 10 USD per hour and has used 8 USD/);
  assert.ok(message.endsWith(`It resets at ${new Date(resetsAt).toISOString()}.`), message);
  const spanning = await testLedger.reserve(two, 2n * USD);
  clock.advance(1);
  await testLedger.use(one, 10n * USD);
  await testLedger.settle(two, spanning.requestId, 2n * USD); // charged to the hour it was admitted in
  await readRefusal(testLedger.reserve(two, 1n));
  await isClean();
});

test('a budget is set, raised and removed while requests run, and earlier usage counts', async () => {
  const { directory } = fresh.accounts;
  const { id, one } = await createMember({});
  await testLedger.use(one, 7n * USD);
  const open = await testLedger.reserve(one, 5n * USD);
  await directory.updateMember(id, { limit: 9n * USD, recurringLimit: null });
  await readRefusal(testLedger.reserve(one, 0n + USD));
  await testLedger.settle(one, open.requestId, 5n * USD); // a request in flight is not stopped
  assert.equal((await readMember(id)).usage, 12n * USD);
  const raised = await directory.updateMember(id, {
    limit: 20n * USD,
    recurringLimit: { amount: 2n * USD, period: 'day' },
  });
  assert.deepEqual([raised.limit, raised.recurringLimit], [20n * USD, { amount: 2n * USD, period: 'day' }]);
  await testLedger.use(one, 2n * USD);
  await readRefusal(testLedger.reserve(one, 1n));
  await directory.updateMember(id, { limit: null, recurringLimit: null });
  await testLedger.use(one, 50n * USD);
  await isClean();
});

test('a settlement whose hold was never stored, and one that was swept, still charge the member', async () => {
  const { id, one } = await createMember({ recurringLimit: { amount: 100n * USD, period: 'day' } });
  const { ledger } = fresh.accounts;
  const lost = createRow(one, 'req_never_held');
  await ledger.settle({ requestId: lost.requestId, customer: 3n, provider: 0n, estimated: false, row: lost });
  const { requestId } = await testLedger.reserve(one, 10n);
  await fresh.database.query({
    text: 'UPDATE hold SET owner_epoch = -1 WHERE request_id = $1',
    values: [requestId],
  });
  await ledger.sweep();
  await testLedger.settle(one, requestId, 4n);
  const member = await readMember(id);
  assert.equal(member.usage, 7n);
  assert.equal(member.recurringUsage?.used, 7n);
  await isClean();
});

test('a request in the name of a member of another organization is refused as a whole', async () => {
  const { directory } = fresh.accounts;
  const stranger = await directory.createOrganization('Other');
  const { id } = await directory.addMember({ organizationId: stranger.id, name: 'S', role: 'member' });
  await assert.rejects(testLedger.reserve({ ...fresh.caller, memberId: id }, 1n), /without a meter/);
  await isClean();
});

test('a budget that changes by a clock that lags leaves the period before the running one as it was', async () => {
  const { id, one } = await createMember({ recurringLimit: { amount: USD, period: 'hour' } });
  const recurringLimit = { amount: USD, period: 'hour' } as const;
  const { projectId } = fresh.caller;
  const { key, secret } = await fresh.accounts.directory.createKey({ projectId, label: 'k', recurringLimit });
  const alone = await fresh.accounts.identify(secret);
  const useBoth = async (): Promise<void> => {
    await testLedger.use(one, 1n);
    await testLedger.use(alone, 1n);
  };
  await useBoth();
  clock.advance(HOUR_MS + 1);
  await useBoth();
  clock.advance(-2);
  const longer = { amount: USD, period: 'day' } as const;
  await fresh.accounts.directory.updateMember(id, { limit: null, recurringLimit: longer });
  await fresh.accounts.directory.updateKey(key.id, { recurringLimit: longer });
  clock.advance(2);
  await isClean();
});
