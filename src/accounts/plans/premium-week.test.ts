import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller, KeyStatus } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { createPlanCatalogue } from './plan-terms.ts';

const USD = 1_000_000_000_000n;
const WEEK_MS = 7 * 24 * 3_600_000;
const PREMIUM = { premium: true };

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock, admissionWaitMs: 60_000 }));
const testLedger = new TestLedger(fresh);
let caller: Caller;

beforeEach(async () => {
  caller = await testLedger.createCaller();
  await subscribe('pro');
});

async function subscribe(plan: 'lite' | 'pro' | 'max'): Promise<void> {
  const { organizationId } = caller;
  await fresh.accounts.directory.setPlan({ organizationId, plan, terms: createPlanCatalogue()[plan] });
}

const readStatus = (): Promise<KeyStatus> => fresh.accounts.findKeyStatus(caller);
const inMs = (ms: number): string => new Date(clock.now() + ms).toISOString();
const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

async function readWeek(): Promise<[string, string | null]> {
  const status = await readStatus();
  return [status.devPlanPremiumCreditsUsed, status.devPlanPremiumWeekResetsAt];
}

test('the documented sample: pro, 25 of 237 used, 5 of them by premium models', async () => {
  await testLedger.use(caller, 20n * USD);
  await testLedger.use(caller, 5n * USD, PREMIUM);
  const { limits, ...status } = await readStatus();
  assert.deepEqual(
    limits.map(({ kind, remaining, resetsAt }) => [kind, remaining, resetsAt]),
    [
      ['plan', '212', inMs((31 * WEEK_MS) / 7)],
      ['plan_premium', '30.55', inMs(WEEK_MS)],
    ],
  );
  assert.deepEqual(status, {
    label: 'k',
    usage: '25',
    limit: null,
    remaining: null,
    devPlan: 'pro',
    devPlanCreditsUsed: '25',
    devPlanCreditsLimit: '237',
    devPlanCreditsRemaining: '212.00',
    devPlanPremiumWeeklyLimit: '35.55',
    devPlanPremiumCreditsUsed: '5.00',
    devPlanPremiumWeekResetsAt: inMs(WEEK_MS),
    isCurrent: true,
  });
  await isClean();
});

test('no week is running at first, and a standard request opens none', async () => {
  assert.deepEqual(await readWeek(), ['0.00', null]);
  await testLedger.use(caller, USD);
  assert.deepEqual(await readWeek(), ['0.00', null]);
});

test('the first premium request opens the week when it is admitted, long before it is settled', async () => {
  const hold = await testLedger.reserve(caller, USD, PREMIUM);
  const resetsAt = inMs(WEEK_MS);
  assert.deepEqual(await readWeek(), ['0.00', resetsAt]);
  clock.advance(60_000);
  await testLedger.settle(caller, hold.requestId, USD);
  await testLedger.use(caller, USD, PREMIUM);
  assert.deepEqual(await readWeek(), ['2.00', resetsAt]);
});

test('the week lasts exactly seven days, its last millisecond included', async () => {
  await testLedger.use(caller, 3n * USD, PREMIUM);
  const resetsAt = inMs(WEEK_MS);
  clock.advance(WEEK_MS - 1);
  assert.deepEqual(await readWeek(), ['3.00', resetsAt]);
  clock.advance(1);
  assert.deepEqual(await readWeek(), ['3.00', resetsAt]);
  await testLedger.use(caller, USD, PREMIUM);
  assert.deepEqual(await readWeek(), ['4.00', resetsAt], 'a request at the end is charged to it');
  clock.advance(1);
  assert.deepEqual(await readWeek(), ['0.00', null], 'over');
  await testLedger.use(caller, USD);
  assert.deepEqual(await readWeek(), ['0.00', null], 'a standard request opens no other');
  clock.advance(12_345);
  await testLedger.use(caller, 2n * USD, PREMIUM);
  assert.deepEqual(await readWeek(), ['2.00', inMs(WEEK_MS)], 'the next premium request does');
  assert.equal((await readStatus()).devPlanCreditsUsed, '7', 'of one billing cycle');
  await isClean();
});

test('a request that spans the end is charged to the week it was admitted in', async () => {
  const spanning = await testLedger.reserve(caller, 5n * USD, PREMIUM);
  clock.advance(WEEK_MS + 1);
  assert.deepEqual(await readWeek(), ['0.00', null]);
  await testLedger.use(caller, USD, PREMIUM);
  const next = await readWeek();
  await testLedger.settle(caller, spanning.requestId, 4n * USD);
  assert.deepEqual(await readWeek(), next);
  assert.deepEqual(next, ['1.00', inMs(WEEK_MS)]);
  await isClean();
});

test('a request that never reached a provider opens no week', async () => {
  const hold = await testLedger.reserve(caller, USD, PREMIUM);
  await testLedger.end(caller, hold.requestId, { customer: 0n, unreached: true });
  assert.deepEqual(await readWeek(), ['0.00', null]);
  clock.advance(5);
  await testLedger.use(caller, USD, PREMIUM);
  assert.deepEqual(await readWeek(), ['1.00', inMs(WEEK_MS)]);
  await isClean();
});

test('a week that another request uses stays, from the first start on', async () => {
  const first = await testLedger.reserve(caller, USD, PREMIUM);
  const resetsAt = inMs(WEEK_MS);
  clock.advance(10);
  const second = await testLedger.reserve(caller, USD, PREMIUM);
  await testLedger.end(caller, first.requestId, { customer: 0n, unreached: true });
  assert.deepEqual(await readWeek(), ['0.00', resetsAt]);
  await testLedger.settle(caller, second.requestId, 0n);
  assert.deepEqual(await readWeek(), ['0.00', resetsAt], 'a provider was called, at cost 0');
  const third = await testLedger.reserve(caller, USD, PREMIUM);
  await testLedger.end(caller, third.requestId, { customer: 0n, unreached: true });
  assert.deepEqual(await readWeek(), ['0.00', resetsAt]);
  await isClean();
});

test('a request that a standard model answered in the end is not charged to the week', async () => {
  const hold = await testLedger.reserve(caller, USD, PREMIUM);
  await testLedger.end(caller, hold.requestId, { customer: USD, standard: true });
  assert.deepEqual(await readWeek(), ['0.00', null]);
  assert.equal((await readStatus()).devPlanCreditsUsed, '1');
  await isClean();
});

test('a refused request starts no premium week, and its error reports the remaining amount', async () => {
  await assert.rejects(testLedger.reserve(caller, 40n * USD, PREMIUM), {
    code: 'premium_allowance_exhausted',
    status: 402,
    message: /35\.55 USD and has used 0 USD: 35\.55 USD is left.*up to 40 USD/,
  });
  assert.deepEqual(await readWeek(), ['0.00', null]);
  await isClean();
});

test('over the allowance premium models are refused until it resets, and standard models are not', async () => {
  await testLedger.use(caller, 35n * USD, PREMIUM);
  const resetsAt = inMs(WEEK_MS);
  const { message } = await refusalOf(testLedger.reserve(caller, USD, PREMIUM));
  assert.match(message, /0\.55 USD is left/);
  assert.ok(message.includes(`It resets at ${resetsAt}.`));
  await testLedger.use(caller, 2n * USD);
  assert.deepEqual(await readWeek(), ['35.00', resetsAt]);
  clock.advance(WEEK_MS + 1);
  await testLedger.use(caller, USD, PREMIUM);
  assert.deepEqual(await readWeek(), ['1.00', inMs(WEEK_MS)]);
  await isClean();
});

test('requests waiting for the allowance do not delay standard requests', async () => {
  const first = await testLedger.reserve(caller, 35n * USD, PREMIUM);
  const blocked = testLedger.reserve(caller, USD, PREMIUM);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await testLedger.use(caller, USD);
  await testLedger.settle(caller, first.requestId, USD);
  await testLedger.settle(caller, (await blocked).requestId, USD);
  assert.equal((await readStatus()).devPlanPremiumCreditsUsed, '2.00');
  await isClean();
});

test('the keys of an organization share its week; another organization has its own', async () => {
  const { directory, identify } = fresh.accounts;
  const { secret } = await directory.createKey({ projectId: caller.projectId, label: 'other' });
  await testLedger.use(caller, USD, PREMIUM);
  clock.advance(1_000);
  await testLedger.use(await identify(secret), USD, PREMIUM);
  const week = await readWeek();
  assert.deepEqual(week, ['2.00', inMs(WEEK_MS - 1_000)]);
  caller = await testLedger.createCaller();
  await subscribe('max');
  assert.deepEqual(await readWeek(), ['0.00', null]);
});

test('without a plan a premium request opens nothing', async () => {
  caller = await testLedger.createCaller();
  await testLedger.use(caller, USD, PREMIUM);
  const status = await readStatus();
  assert.deepEqual(
    [status.devPlan, status.devPlanPremiumWeekResetsAt, status.devPlanPremiumCreditsUsed],
    ['none', null, '0'],
  );
});

test('what is used is rounded half up, what remains is rounded down', async () => {
  await testLedger.use(caller, 1_005_000_000_000n, PREMIUM);
  const status = await readStatus();
  assert.equal(status.devPlanPremiumCreditsUsed, '1.01');
  assert.equal(status.devPlanCreditsUsed, '1.005');
  assert.equal(status.devPlanCreditsRemaining, '235.99');
  await testLedger.use(caller, 999_999n, PREMIUM);
  assert.equal((await readStatus()).devPlanCreditsUsed, '1.005000999999');
  assert.equal((await readStatus()).devPlanPremiumCreditsUsed, '1.01');
});

test('a hold that was lost is booked to the plan and its week', async () => {
  const lost = await testLedger.reserve(caller, USD, PREMIUM);
  await fresh.database.query({
    text: 'SELECT ledger_release(h.owner_epoch, ARRAY[$1]) FROM hold h WHERE request_id = $1',
    values: [lost.requestId],
  });
  assert.deepEqual(await readWeek(), ['0.00', null]);
  await testLedger.settle(caller, lost.requestId, USD);
  assert.deepEqual(await readWeek(), ['1.00', inMs(WEEK_MS)]);
  assert.equal((await readStatus()).devPlanCreditsUsed, '1');
  await isClean();
});
