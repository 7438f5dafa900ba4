import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { PLAN_TIERS, createPlanCatalogue } from './plan-terms.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

const USD = 1_000_000_000_000n;
const STEPS = Number(process.env['PLAN_STEPS'] ?? repetitions(1_500));
const HOUR_MS = 3_600_000;
const PLANS = createPlanCatalogue();

test(`after ${STEPS} random requests of plans, changes of plans and leaps of time in two processes every sum agrees`, async () => {
  const clock = new TestClock();
  await using fresh = await openFreshAccounts({ windowClock: clock, admissionWaitMs: 0 });
  const other = await fresh.join();
  const testLedger = new TestLedger(fresh);
  const draw = createSeededRandom(7);
  const below = (most: number): number => Math.floor(draw() * most);
  const chance = (share: number): boolean => draw() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const callers = await Promise.all(Array.from({ length: 4 }, () => testLedger.createCaller()));
  const { directory } = fresh.accounts;
  await directory.updateKey((callers[0] as Caller).keyId, {
    recurringLimit: { amount: 20n * USD, period: 'day' },
  });

  const changePlan = async (): Promise<void> => {
    const { organizationId } = pick(callers);
    const plan = pick([...PLAN_TIERS, 'none'] as const);
    if (plan === 'none') await directory.endPlan(organizationId);
    else await directory.setPlan({ organizationId, plan, terms: PLANS[plan], overflow: chance(0.5) });
    await directory.addCredits({ organizationId, amount: 5n * USD });
  };
  const request = async ({ ledger }: Accounts): Promise<void> => {
    const caller = pick(callers);
    const row = createRow(caller, testLedger.nextId());
    const { requestId } = row;
    const amount = BigInt(below(12)) * USD;
    await ledger.reserve({ requestId, caller, amount, premium: chance(0.5), row });
    if (chance(0.1)) clock.advance(below(40) * HOUR_MS);
    if (chance(0.02)) return; // its process crashes
    const customer = chance(0.3) ? 0n : amount / 2n;
    const unreached = customer === 0n && chance(0.5);
    const ending = { customer, unreached, standard: chance(0.2) };
    await ledger.settle({ requestId, provider: customer, estimated: false, ...ending, row });
  };

  for (const { organizationId } of callers.slice(1)) {
    await directory.setPlan({ organizationId, plan: 'lite', terms: PLANS.lite });
  }
  for (let done = 0; done < STEPS; done += 20) {
    const steps = Array.from({ length: 20 }, () => request(pick([fresh.accounts, other])));
    const outcomes = await Promise.allSettled([...steps, changePlan()]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal((outcome.reason as { status?: number }).status, 402);
    }
    if (done % 500 === 0) assert.deepEqual(await fresh.accounts.ledger.check(), []);
  }
  await other.close();
  await fresh.accounts.ledger.sweep();
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});
