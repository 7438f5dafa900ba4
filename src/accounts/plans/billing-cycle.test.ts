import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Caller, PlanTier } from '#accounts';
import type { PlanStatus } from './plan-status.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { createPlanCatalogue } from './plan-terms.ts';

const USD = 1_000_000_000_000n;
const PLANS = createPlanCatalogue();

const clock = new TestClock();
const fresh = shareOpened(() => openFreshAccounts({ windowClock: clock }));
const testLedger = new TestLedger(fresh);
let caller: Caller;

beforeEach(async () => (caller = await testLedger.createCaller()));

const moveTo = (time: string): void => clock.advance(Date.parse(time) - clock.now());
const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

function subscribe(plan: PlanTier, overflow?: boolean): Promise<PlanStatus> {
  const { organizationId } = caller;
  const terms = PLANS[plan];
  return fresh.accounts.directory.setPlan({
    organizationId,
    plan,
    terms,
    ...(overflow !== undefined && { overflow }),
  });
}

async function readCredits(): Promise<string[]> {
  const status = await fresh.accounts.findKeyStatus(caller);
  return [
    status.devPlan,
    status.devPlanCreditsUsed,
    status.devPlanCreditsLimit,
    status.devPlanCreditsRemaining,
  ];
}

async function readCycle(): Promise<string[]> {
  const status = await fresh.accounts.directory.findPlan(caller.organizationId);
  assert.ok(status);
  return [status.cycleStartsAt, status.cycleEndsAt].map((at) => new Date(at).toISOString());
}

test('the plans on offer are those of the decisions, and the operator may write others', () => {
  const show = ({ price, credits, premiumWeekly }: (typeof PLANS)['pro']) => [price, credits, premiumWeekly];
  assert.deepEqual(show(PLANS.lite), [29n * USD, 87n * USD, 10_440_000_000_000n]);
  assert.deepEqual(show(PLANS.pro), [79n * USD, 237n * USD, 35_550_000_000_000n]);
  assert.deepEqual(show(PLANS.max), [179n * USD, 537n * USD, 96_660_000_000_000n]);
  const { pro, max } = createPlanCatalogue({ pro: { credits: '100', premiumPercent: '12.5' } });
  assert.deepEqual(show(pro), [79n * USD, 100n * USD, 12_500_000_000_000n]);
  assert.deepEqual(max, PLANS.max);
});

test('a cycle is a month from the start, clamped to the last day, and returns to the day of the start', async () => {
  moveTo('2027-01-31T10:20:30.456Z');
  await subscribe('pro');
  const cycles = [
    ['2027-01-31T10:20:30.456Z', '2027-02-28T10:20:30.456Z'],
    ['2027-02-28T10:20:30.456Z', '2027-03-31T10:20:30.456Z'],
    ['2027-03-31T10:20:30.456Z', '2027-04-30T10:20:30.456Z'],
  ];
  for (const [start = '', end = ''] of cycles) {
    moveTo(start);
    assert.deepEqual(await readCycle(), [start, end]);
    await testLedger.use(caller, USD);
    assert.deepEqual(await readCredits(), ['pro', '1', '237', '236.00']);
    clock.advance(Date.parse(end) - clock.now() - 1);
    assert.deepEqual(await readCycle(), [start, end], 'its last millisecond');
    assert.deepEqual(await readCredits(), ['pro', '1', '237', '236.00']);
    clock.advance(1);
    assert.deepEqual(await readCredits(), ['pro', '0', '237', '237.00'], 'renewed');
  }
  moveTo('2028-02-29T10:20:30.456Z');
  assert.deepEqual(await readCycle(), ['2028-02-29T10:20:30.456Z', '2028-03-31T10:20:30.456Z']);
  moveTo('2029-01-05T00:00:00.000Z');
  assert.deepEqual(await readCycle(), ['2028-12-31T10:20:30.456Z', '2029-01-31T10:20:30.456Z']);
  await isClean();
});

test('a request that spans the renewal is charged to the cycle it was admitted in', async () => {
  await subscribe('lite');
  const spanning = await testLedger.reserve(caller, 80n * USD);
  clock.advance(32 * 24 * 3_600_000);
  await testLedger.use(caller, 2n * USD);
  await testLedger.settle(caller, spanning.requestId, 80n * USD);
  assert.deepEqual(await readCredits(), ['lite', '2', '87', '85.00']);
  await isClean();
});

test('changing the plan keeps the usage and replaces the limits, even by lower ones than the usage', async () => {
  await subscribe('pro');
  await testLedger.use(caller, 100n * USD);
  await testLedger.use(caller, 30n * USD, { premium: true });
  const cycle = await readCycle();
  await subscribe('max');
  assert.deepEqual(await readCredits(), ['max', '130', '537', '407.00']);
  await subscribe('lite');
  assert.deepEqual(await readCredits(), ['lite', '130', '87', '0.00']);
  assert.equal((await fresh.accounts.findKeyStatus(caller)).devPlanPremiumWeeklyLimit, '10.44');
  assert.deepEqual(await readCycle(), cycle);
  const refusal = await refusalOf(testLedger.reserve(caller, 1n));
  assert.equal(refusal.code, 'plan_credits_exhausted');
  assert.equal(refusal.status, 402);
  assert.match(
    refusal.message,
    /credits of 87 USD and has used 130 USD: 0 USD is left.*up to 0\.000000000001 USD/,
  );
  assert.ok(refusal.message.endsWith(`The plan renews at ${cycle[1]}.`));
  await isClean();
});

test('a plan that is changed while requests run lets them finish', async () => {
  await subscribe('pro');
  const running = await testLedger.reserve(caller, 200n * USD);
  await subscribe('lite');
  await testLedger.settle(caller, running.requestId, 150n * USD);
  assert.deepEqual(await readCredits(), ['lite', '150', '87', '0.00']);
  await isClean();
});

test('with a plan the organization is metered, and after it as it was before', async () => {
  await testLedger.use(caller, 5n * USD);
  const beforePlan = await testLedger.reserve(caller, USD);
  await subscribe('lite', true);
  await testLedger.settle(caller, beforePlan.requestId, USD);
  assert.equal((await refusalOf(testLedger.reserve(caller, 90n * USD))).code, 'plan_credits_exhausted');
  await fresh.accounts.directory.endPlan(caller.organizationId);
  assert.deepEqual(await readCredits(), ['none', '0', '0', '0']);
  await testLedger.use(caller, 100n * USD);
  const grant = { organizationId: caller.organizationId, amount: 10n * USD };
  assert.equal((await fresh.accounts.directory.addCredits(grant)).balance, 10n * USD);
  await testLedger.use(caller, 10n * USD);
  assert.equal((await refusalOf(testLedger.reserve(caller, 1n))).code, 'credits_exhausted');
  await isClean();
});

test('credits that were added, before a plan or within it, meter the organization after it', async () => {
  const { organizationId } = caller;
  const { directory } = fresh.accounts;
  await subscribe('lite');
  await directory.addCredits({ organizationId, amount: 10n * USD });
  await directory.endPlan(organizationId);
  await testLedger.use(caller, 10n * USD);
  assert.equal((await refusalOf(testLedger.reserve(caller, 1n))).code, 'credits_exhausted');
  await subscribe('lite');
  await directory.endPlan(organizationId);
  await directory.endPlan(organizationId);
  assert.equal((await refusalOf(testLedger.reserve(caller, 1n))).code, 'credits_exhausted');
  await isClean();
});

test('a plan that begins again begins a new cycle, and the old one stays in the books', async () => {
  await subscribe('lite');
  await testLedger.use(caller, 50n * USD);
  clock.advance(1_000);
  await fresh.accounts.directory.endPlan(caller.organizationId);
  clock.advance(1_000);
  await subscribe('lite');
  assert.deepEqual(await readCredits(), ['lite', '0', '87', '87.00']);
  const organizations = await fresh.accounts.directory.listOrganizations();
  const organization = organizations.find(({ id }) => id === caller.organizationId);
  assert.equal(organization?.usage, 50n * USD);
  assert.equal(organization.plan, 'lite');
  await isClean();
});

test('overflow is opt-in: credits pay what neither cycle nor week covers, and only what was granted', async () => {
  const { organizationId } = caller;
  const { directory } = fresh.accounts;
  await directory.addCredits({ organizationId, amount: 20n * USD });
  await subscribe('lite');
  await testLedger.use(caller, 80n * USD);
  const readBalance = async () =>
    (await directory.listOrganizations()).find(({ id }) => id === organizationId)?.balance;
  assert.equal((await refusalOf(testLedger.reserve(caller, 10n * USD))).code, 'plan_credits_exhausted');
  assert.equal((await subscribe('lite', true)).overflow, true);
  await testLedger.use(caller, 10n * USD);
  assert.equal(await readBalance(), 10n * USD);
  await testLedger.use(caller, 7n * USD);
  assert.deepEqual(await readCredits(), ['lite', '87', '87', '0.00'], 'what the plan covers it pays');
  await testLedger.use(caller, 4n * USD, { premium: true });
  assert.equal(await readBalance(), 6n * USD);
  assert.equal((await fresh.accounts.findKeyStatus(caller)).devPlanPremiumWeekResetsAt, null);
  assert.equal((await refusalOf(testLedger.reserve(caller, 7n * USD))).status, 402);
  assert.equal((await subscribe('pro')).overflow, true, 'unchanged unless given');
  assert.equal((await subscribe('pro', false)).overflow, false);
  await isClean();
});

test('a key’s own limit holds beside the plan, all or nothing', async () => {
  caller = await testLedger.createCaller(3n * USD);
  await subscribe('pro');
  assert.equal(
    (await refusalOf(testLedger.reserve(caller, 4n * USD, { premium: true }))).code,
    'key_limit_reached',
  );
  assert.equal((await fresh.accounts.findKeyStatus(caller)).devPlanPremiumWeekResetsAt, null);
  await testLedger.use(caller, 3n * USD, { premium: true });
  assert.deepEqual(await readCredits(), ['pro', '3', '237', '234.00']);
  await isClean();
});

test('racers for the last credits of a plan: as many are admitted as it pays for', async () => {
  await subscribe('lite');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 64 }, (_, index) =>
      testLedger.reserve(caller, 3n * USD, { premium: index % 2 === 0 }),
    ),
  );
  const admitted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  assert.equal(admitted.length, 29, '87 / 3, three of them premium (10.44 / 3)');
  await Promise.all(admitted.map(({ requestId }) => testLedger.settle(caller, requestId, 3n * USD)));
  assert.deepEqual(await readCredits(), ['lite', '87', '87', '0.00']);
  assert.equal((await fresh.accounts.findKeyStatus(caller)).devPlanPremiumCreditsUsed, '9.00');
  await isClean();
});

test('a plan may be free and grant nothing, but no amount of it may be negative', async () => {
  const { organizationId } = caller;
  const none = { price: 0n, credits: 0n, premiumWeekly: 0n };
  const set = (terms: typeof none) =>
    fresh.accounts.directory.setPlan({ organizationId, plan: 'lite', terms });
  assert.equal((await set(none)).plan, 'lite');
  assert.deepEqual(await readCredits(), ['lite', '0', '0', '0.00']);
  for (const name of ['price', 'credits', 'premiumWeekly'] as const)
    assert.match((await refusalOf(set({ ...none, [name]: -1n }))).message, new RegExp(name));
});

test('a plan of an unknown organization is not found', async () => {
  const { directory } = fresh.accounts;
  const ghost = { organizationId: 'org_ghost', plan: 'pro', terms: PLANS.pro } as const;
  assert.equal((await refusalOf(directory.setPlan(ghost))).code, 'not_found');
  assert.equal((await refusalOf(directory.endPlan('org_ghost'))).code, 'not_found');
  assert.equal(await directory.findPlan('org_ghost'), undefined);
});
