import assert from 'node:assert/strict';
import { until } from '../../../test/support/until.ts';
import { before, test } from 'node:test';
import type { Accounts, Caller, Settlement } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { createPlanCatalogue } from './plan-terms.ts';

const USD = 1_000_000_000_000n;
const HOUR_MS = 3_600_000;

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock }));
const testLedger = new TestLedger(fresh);
/** A gateway that will be cut off from the database. */
let lost: Accounts;

before(async () => {
  lost = await fresh.join();
});

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

async function createLimited(): Promise<Caller> {
  const { projectId } = fresh.caller;
  const recurringLimit = { amount: 10n * USD, period: 'hour' } as const;
  const { secret } = await fresh.accounts.directory.createKey({ projectId, label: 'k', recurringLimit });
  return fresh.accounts.identify(secret);
}

/** A request of the lost gateway, whose hold another gateway sweeps; returns its id. */
async function leaveSwept(caller: Caller, { premium = false, delivered = 0n } = {}): Promise<string> {
  const requestId = `lost_${testLedger.nextId()}`;
  const row = createRow(caller, requestId, { finishReason: 'gateway_error', status: 500 });
  await lost.ledger.reserve({ requestId, caller, amount: 9n * USD, premium, row });
  if (delivered > 0n) {
    await fresh.database.query({
      text: `UPDATE hold SET progress = jsonb_build_object('c', $2::text, 'p', '0', 'row', row::jsonb) WHERE request_id = $1`,
      values: [requestId, delivered.toString()],
    });
  }
  await until('its process is taken for dead', async () => {
    await fresh.database.query({
      text: `UPDATE owner SET heartbeat_at = now() - interval '31 seconds'
        WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
      values: [requestId],
    });
    return (await fresh.accounts.ledger.sweep()) === 1; // not if it has sent a heartbeat meanwhile
  });
  return requestId;
}

async function settleLate(
  caller: Caller,
  requestId: string,
  ending: Pick<Settlement, 'customer' | 'standard' | 'unreached'>,
): Promise<void> {
  const row = createRow(caller, requestId);
  const settle = () => lost.ledger.settle({ requestId, provider: 0n, estimated: false, ...ending, row });
  await settle();
  await settle();
}

async function isRefused(promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, { code: 'key_limit_reached' });
}

test('what a swept request cost after all counts against the recurring limit of its key', async () => {
  const of = await createLimited();
  const requestId = await leaveSwept(of);
  await settleLate(of, requestId, { customer: 8n * USD });
  await isRefused(testLedger.reserve(of, 3n * USD));
  await testLedger.use(of, 2n * USD);
  await isClean();
});

test('it counts in the period it was admitted in, where others have used that', async () => {
  const of = await createLimited();
  await testLedger.use(of, USD);
  const requestId = await leaveSwept(of);
  clock.advance(HOUR_MS + 1);
  await settleLate(of, requestId, { customer: 8n * USD });
  await testLedger.use(of, 10n * USD);
  const { rows } = await fresh.database.query<{ used: string }>({
    text: `SELECT used::text FROM meter WHERE kind = 'recurring' AND subject_id = $1 ORDER BY starts_at`,
    values: [of.keyId],
  });
  assert.deepEqual(
    rows.map(({ used }) => BigInt(used)),
    [9n * USD, 10n * USD],
  );
  await isClean();
});

test('a swept request does not close a period that other requests started', async () => {
  const of = await createLimited();
  const other = await testLedger.reserve(of, USD);
  const requestId = await leaveSwept(of);
  await settleLate(of, requestId, { customer: 8n * USD });
  await testLedger.settle(of, other.requestId, 0n);
  await isRefused(testLedger.reserve(of, 3n * USD));
  await isClean();
});

test('a swept request at cost 0 starts no period', async () => {
  const of = await createLimited();
  const requestId = await leaveSwept(of);
  await settleLate(of, requestId, { customer: 0n });
  clock.advance(HOUR_MS - 1);
  await testLedger.use(of, 10n * USD);
  clock.advance(2);
  await isRefused(testLedger.reserve(of, 1n));
  await isClean();
});

test('the recurring budget of a member counts it too', async () => {
  const { directory } = fresh.accounts;
  const { organizationId, projectId } = fresh.caller;
  const budget = { recurringLimit: { amount: 10n * USD, period: 'hour' } } as const;
  const member = await directory.addMember({ organizationId, name: 'Ada', role: 'member', ...budget });
  const { secret } = await directory.createKey({ projectId, label: 'k', memberId: member.id });
  const of = await fresh.accounts.identify(secret);
  const requestId = await leaveSwept(of);
  await settleLate(of, requestId, { customer: 8n * USD });
  await assert.rejects(testLedger.reserve(of, 3n * USD), { code: 'member_budget_reached' });
  await isClean();
});

for (const [name, ending] of [
  ['a standard model answered', { customer: 5n * USD, standard: true }],
  ['no provider was reached', { customer: 0n, unreached: true }],
] as const) {
  test(`a premium week is not charged for a swept request to which ${name}`, async () => {
    const of = await testLedger.createCaller();
    const { organizationId } = of;
    await fresh.accounts.directory.setPlan({ organizationId, plan: 'pro', terms: createPlanCatalogue().pro });
    const requestId = await leaveSwept(of, { premium: true, delivered: 3n * USD });
    assert.equal((await fresh.accounts.findKeyStatus(of)).devPlanPremiumCreditsUsed, '3.00');
    await settleLate(of, requestId, ending);
    const status = await fresh.accounts.findKeyStatus(of);
    assert.equal(status.devPlanPremiumCreditsUsed, '0.00');
    assert.equal(status.usage, ending.customer === 0n ? '0' : '5');
    await isClean();
  });
}
