import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts } from '#accounts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { createPlanCatalogue } from './plan-terms.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

const ROUNDS = Number(process.env['WEEK_ROUNDS'] ?? repetitions(10));
const REQUESTS = 200;

const fresh = shareOpened(() => openFreshAccounts({ admissionWaitMs: 10_000 }));
const testLedger = new TestLedger(fresh);

/** By the database's clock, and by clocks of two machines that are an hour apart. */
const CLOCKS = [undefined, (hours: number) => ({ now: () => Date.now() + hours * 3_600_000 })];

for (const createClock of CLOCKS) {
  const name =
    createClock === undefined ? 'the clock of the database applies' : 'their clocks are an hour apart';
  test(`${REQUESTS} first premium requests at once in two processes agree on one start; ${name}`, async () => {
    const join = (hours: number) => fresh.join(createClock && { windowClock: createClock(hours) });
    const processes = [await join(0), await join(1)];
    for (let round = 0; round < ROUNDS; round += 1) await runRound(processes);
    assert.deepEqual(await fresh.accounts.ledger.check(), []);
  });
}

async function runRound(processes: readonly Accounts[]): Promise<void> {
  const caller = await testLedger.createCaller();
  const { organizationId } = caller;
  const plan = { organizationId, plan: 'pro', terms: createPlanCatalogue().pro } as const;
  await fresh.accounts.directory.setPlan(plan);
  const seen = new Set<string>();
  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, index) => {
      const { ledger, directory } = processes[index % processes.length] as Accounts;
      const row = createRow(caller, testLedger.nextId());
      const { requestId } = row;
      await ledger.reserve({ requestId, caller, amount: 1_000n, premium: true, row });
      if (index % 20 === 0) {
        const week = (await directory.findPlan(organizationId))?.premiumWeek;
        seen.add(String(week?.startsAt));
      }
      // Every fourth reaches no provider, which does not undo a week that others use.
      const isReached = index % 4 !== 0;
      const ending = isReached ? { customer: 7n } : { customer: 0n, unreached: true };
      await ledger.settle({ requestId, provider: 0n, estimated: false, ...ending, row });
    }),
  );
  const { rows } = await fresh.database.query<{ used: string; starts_at: number }>({
    text: `SELECT used::text, (extract(epoch FROM starts_at) * 1000)::float8 AS starts_at FROM meter
      WHERE kind = 'premium' AND subject_id = $1`,
    values: [organizationId],
  });
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.used, String(7 * (REQUESTS - REQUESTS / 4)));
  assert.deepEqual([...seen], [String(rows[0].starts_at)]);
}
