import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Caller, Settlement } from '#accounts';
import { GatewayError } from '#errors';
import { type FreshAccounts, createRow } from '../../../test/support/fresh-accounts.ts';
import {
  type LeaseProcess,
  type LeaseProcesses,
  openLeaseProcesses,
} from '../../../test/support/lease-processes.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';
import { createPlanCatalogue } from '../plans/plan-terms.ts';
import type { RecurringLimit } from '../meters/recurring-limit.ts';

const HOUR_MS = 3_600_000;
const COST = 42n;
const PLANS = createPlanCatalogue();

let opened: LeaseProcesses;
let fresh: FreshAccounts;
let testLedger: TestLedger;
/** Of the processes and of the periods. It stands still, so no request is open for long enough to get a hold of its own. */
let clock: TestClock;

beforeEach(async () => {
  clock = new TestClock();
  opened = await openLeaseProcesses({ windowClock: clock });
  ({ fresh } = opened);
  testLedger = new TestLedger(fresh);
});
afterEach(() => opened[Symbol.asyncDispose]());

const start = (journal?: string): Promise<LeaseProcess> => opened.start(journal, { clock });

interface Use {
  caller: Caller;
  premium?: boolean;
  ending?: Partial<Pick<Settlement, 'customer' | 'standard' | 'unreached'>>;
}

async function reserve({ accounts }: LeaseProcess, { caller, premium = false }: Use): Promise<string> {
  const requestId = testLedger.nextId();
  const row = createRow(caller, requestId, { finishReason: 'gateway_error', status: 500 });
  await accounts.ledger.reserve({ requestId, caller, amount: 100n, premium, row });
  return requestId;
}

function settle({ accounts }: LeaseProcess, requestId: string, { caller, ending }: Use): Promise<void> {
  const row = createRow(caller, requestId);
  return accounts.ledger.settle({
    requestId,
    customer: COST,
    provider: 7n,
    estimated: false,
    ...ending,
    row,
  });
}

async function useOnce(process: LeaseProcess, use: Use): Promise<void> {
  await settle(process, await reserve(process, use), use);
}

/** The kinds of periods that leases draw on. */
async function readLeased(): Promise<string[]> {
  const text = `
    SELECT DISTINCT m.kind FROM hold h, unnest(h.meter_ids) AS u (id) JOIN meter m ON m.id = u.id
    WHERE h.lease AND m.starts_at IS NOT NULL ORDER BY m.kind`;
  return (await fresh.database.query<{ kind: string }>({ text })).rows.map(({ kind }) => kind);
}

/** What each period of a kind was charged, oldest first. */
async function readPeriods(kind: string): Promise<number[]> {
  const text = 'SELECT used::float8 AS used FROM meter WHERE kind = $1 ORDER BY starts_at';
  const { rows } = await fresh.database.query<{ used: number }>({ text, values: [kind] });
  return rows.map(({ used }) => used);
}

/** Makes a subject busy until a lease draws on such a period; returns how many requests that took. */
async function makeBusy(process: LeaseProcess, use: Use, kind: string): Promise<number> {
  let requests = 0;
  await until(`a lease draws on ${kind}`, async () => {
    if ((await readLeased()).includes(kind)) return true;
    clock.advance(100); // for some seconds after a change there are no leases
    await Promise.all(Array.from({ length: 8 }, () => useOnce(process, use)));
    requests += 8;
    return false;
  });
  return requests;
}

/** Others hear of a process once it has noticed that time has passed. */
async function passTo(timeMs: number): Promise<void> {
  const text = 'SELECT max(heartbeat_at)::text AS at FROM owner';
  const read = async () => (await fresh.database.query<{ at: string }>({ text })).rows[0]?.at;
  const before = await read();
  clock.advance(timeMs - clock.now());
  await until('it is heard of', async () => (await read()) !== before);
}

async function readEnd(): Promise<number> {
  const text = `SELECT (extract(epoch FROM max(ends_at)) * 1000)::float8 AS ends FROM meter`;
  return (await fresh.database.query<{ ends: number }>({ text })).rows[0]?.ends ?? 0;
}

async function countHolds(requestIds: readonly string[]): Promise<number> {
  const text = 'SELECT FROM hold WHERE request_id = ANY ($1)';
  return (await fresh.database.query({ text, values: [requestIds] })).rows.length;
}

/** The process’ leases are given back and all is written. */
async function close(process: LeaseProcess): Promise<void> {
  await process.accounts.close();
  const { rows } = await fresh.database.query({ text: 'SELECT FROM hold' });
  assert.equal(rows.length, 0);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
}

test('requests of a key whose limit renews are on leases, and its status is true at once', async () => {
  const process = await start();
  const { caller } = fresh;
  await fresh.accounts.directory.updateKey(caller.keyId, {
    recurringLimit: { amount: 10_000_000n, period: 'day' },
  });
  let count = await makeBusy(process, { caller }, 'recurring');
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => useOnce(process, { caller })));
    count += 20;
    const { usage } = await process.accounts.findKeyStatus(caller);
    assert.equal(BigInt(Math.round(Number(usage) * 1e12)), BigInt(count) * COST);
  }
  await close(process);
  assert.deepEqual(await readPeriods('recurring'), [count * Number(COST)]);
});

test('a request is charged to the period in which it was admitted on a lease, and the next one to the next', async () => {
  const process = await start();
  const { caller } = fresh;
  await fresh.accounts.directory.updateKey(caller.keyId, {
    recurringLimit: { amount: 10_000_000n, period: 'hour' },
  });
  let count = await makeBusy(process, { caller }, 'recurring');
  await passTo((await readEnd()) - 12_000);
  let open: string[] = [];
  await until('four requests are on a lease', async () => {
    count += await makeBusy(process, { caller }, 'recurring'); // the lease found may be about to go back
    open = await Promise.all(Array.from({ length: 4 }, () => reserve(process, { caller })));
    if ((await countHolds(open)) === 0) return true;
    for (const id of open) await settle(process, id, { caller });
    count += open.length;
    return false;
  });
  clock.advance(13_000);
  const next = await reserve(process, { caller });
  assert.equal(await countHolds([next]), 1, 'nothing is on the lease of the period that has ended');
  for (const id of open) await settle(process, id, { caller });
  await settle(process, next, { caller });
  count += open.length;
  await process.accounts.ledger.catchUp(caller);
  assert.deepEqual(await readPeriods('recurring'), [count * Number(COST), Number(COST)]);
  await until(
    'the lease on the period that has ended is gone',
    async () => (await readLeased()).length === 0,
  );
  await close(process);
});

/** Who has a limit per period, and how it is set. */
const LIMITED = {
  recurring: (limit: RecurringLimit) =>
    fresh.accounts.directory.updateKey(fresh.caller.keyId, { recurringLimit: limit }),
  project_recurring: (limit: RecurringLimit) =>
    fresh.accounts.directory.updateProject(fresh.caller.projectId, { recurringLimit: limit }),
  organization_recurring: (limit: RecurringLimit) =>
    fresh.accounts.directory.updateOrganization(fresh.caller.organizationId, { recurringLimit: limit }),
};

for (const [kind, setLimit] of Object.entries(LIMITED))
  test(`what a period has left is spent to the last unit by several processes, and the next one has all of it again: ${kind}`, async () => {
    const processes = [await start('one'), await start('two'), await start('three')];
    const { caller } = fresh;
    const limit = 100_000n;
    await setLimit({ amount: limit, period: 'hour' });
    for (const periods of [1, 2]) {
      const spending = Promise.all(
        processes.flatMap((process) => Array.from({ length: 8 }, () => spend(process, caller))),
      );
      await until('there are leases', async () => (await readLeased()).length > 0);
      await spending;
      await Promise.all(processes.map(({ accounts }) => accounts.ledger.catchUp(caller)));
      assert.deepEqual(await readPeriods(kind), Array(periods).fill(Number(limit)));
      await passTo((await readEnd()) + 1);
    }
    for (const process of processes) await close(process);
  });

/** One request after the other, until the limit refuses one; a slow machine may refuse some before that is known. */
async function spend(process: LeaseProcess, caller: Caller): Promise<void> {
  const use = { caller, ending: { customer: 100n } };
  for (;;) {
    clock.advance(20); // for some seconds after a change there are no leases
    try {
      await useOnce(process, use);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'store_unavailable') continue;
      assert.match(String(error), /recurring limit/);
      return;
    }
  }
}

test('what a dead process had admitted in a period is charged to it, although the next one runs', async () => {
  const process = await start();
  const { caller } = fresh;
  await fresh.accounts.directory.updateKey(caller.keyId, {
    recurringLimit: { amount: 10_000_000n, period: 'hour' },
  });
  let count = await makeBusy(process, { caller }, 'recurring');
  await process.accounts.ledger.catchUp(caller);
  process.kill();
  await Promise.all(Array.from({ length: 4 }, () => useOnce(process, { caller })));
  count += 4;
  await reserve(process, { caller });
  clock.advance(HOUR_MS + 1);
  const next = await start('another');
  await useOnce(next, { caller });
  await fresh.database.query({
    text: `UPDATE owner SET heartbeat_at = '-infinity' WHERE epoch IN (SELECT owner_epoch FROM hold WHERE lease)`,
  });
  const successor = await start();
  assert.deepEqual(await readPeriods('recurring'), [count * Number(COST), Number(COST)]);
  await close(next);
  await close(successor);
});

test('a member’s budget and a plan renew under leases, too', async () => {
  const process = await start();
  const { directory } = fresh.accounts;
  const { organizationId, projectId } = fresh.caller;
  const budget = { recurringLimit: { amount: 10_000_000n, period: 'week' } } as const;
  const { id } = await directory.addMember({ organizationId, name: 'Ada', role: 'member', ...budget });
  const { secret } = await directory.createKey({ projectId, label: 'hers', memberId: id });
  const caller = await fresh.accounts.identify(secret);
  let count = await makeBusy(process, { caller }, 'member_recurring');
  await directory.setPlan({ organizationId, plan: 'pro', terms: PLANS.pro });
  count += await makeBusy(process, { caller }, 'plan');
  const under = Array.from({ length: 20 }, () => useOnce(process, { caller }));
  await Promise.all(under);
  count += under.length;
  await close(process);
  assert.deepEqual(await readPeriods('member_recurring'), [count * Number(COST)]);
  const [used = 0] = await readPeriods('plan');
  assert.ok(used >= under.length * Number(COST) && used <= count * Number(COST));
});

test('premium requests have a lease of their own; what a standard model answers is not charged to the week', async () => {
  const process = await start();
  const { caller } = fresh;
  const { organizationId } = caller;
  await fresh.accounts.directory.setPlan({ organizationId, plan: 'pro', terms: PLANS.pro });
  const use = { caller, premium: true };
  const premium = await makeBusy(process, use, 'premium');
  const others = [
    ...Array.from({ length: 5 }, () => ({ ...use, ending: { standard: true } })),
    ...Array.from({ length: 5 }, () => ({ ...use, ending: { customer: 0n, unreached: true } })),
    ...Array.from({ length: 5 }, () => ({ caller, ending: { standard: true } })),
  ];
  await Promise.all(others.map((other) => useOnce(process, other)));
  await close(process);
  assert.deepEqual(await readPeriods('premium'), [premium * Number(COST)]);
  assert.deepEqual(await readPeriods('plan'), [(premium + 10) * Number(COST)]);
});

test('a process of the version before this one, which does not end leases with their periods, gets none', async () => {
  const process = await start();
  const { keyId, organizationId } = fresh.caller;
  await fresh.accounts.directory.updateKey(keyId, { recurringLimit: { amount: 10_000_000n, period: 'day' } });
  await useOnce(process, { caller: fresh.caller });
  const report = async (more: string): Promise<number> => {
    const lease = `ROW('lease_1_' || gen_random_uuid(), '${keyId}', '${organizationId}', NULL, NULL, 0, 100, 1)`;
    const text = `SELECT jsonb_array_length(ledger_report(
      1, ARRAY['${keyId}'], ARRAY['${organizationId}'], NULL, NULL, NULL, NULL, ARRAY[${lease}]::ledger_lease[]${more})) AS count`;
    return (await fresh.database.query<{ count: number }>({ text })).rows[0]?.count ?? -1;
  };
  assert.equal(await report(''), 0);
  assert.equal(await report(`, '{}', ${clock.now()}`), 1);
});
