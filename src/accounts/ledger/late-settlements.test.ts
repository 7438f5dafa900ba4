import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { type LeaseProcess, openLeaseProcesses } from '../../../test/support/lease-processes.ts';
import { until } from '../../../test/support/until.ts';
import type { Ledger } from './ledger.ts';

const LIMIT = 100_000n;
const AMOUNT = 100n;

interface Asking {
  caller: Caller;
  requestId: string;
}

const reserve = (ledger: Ledger, { caller, requestId }: Asking, amount: bigint) =>
  ledger.reserve({ requestId, caller, amount, row: createRow(caller, requestId) });

interface Cost {
  held: bigint;
  beyondHold?: bigint;
}

const settle = (ledger: Ledger, { caller, requestId }: Asking, { held, ...beyond }: Cost) =>
  ledger.settle({
    requestId,
    customer: held,
    provider: held + (beyond.beyondHold ?? 0n),
    ...beyond,
    estimated: false,
    row: createRow(caller, requestId),
  });

async function use(ledger: Ledger, asking: Asking, cost: bigint): Promise<void> {
  await reserve(ledger, asking, cost);
  await settle(ledger, asking, { held: cost });
}

async function readMeter({ database, caller }: FreshAccounts): Promise<{ used: bigint; held: bigint }> {
  const { rows } = await database.query<{ used: string; held: string }>({
    text: `SELECT used::text, held::text FROM meter WHERE kind = 'key' AND subject_id = $1`,
    values: [caller.keyId],
  });
  return { used: BigInt(rows[0]?.used ?? -1), held: BigInt(rows[0]?.held ?? -1) };
}

async function readCosts({ database }: FreshAccounts, requestId: string) {
  const { rows } = await database.query<{ entry: string; row: string | null; provider: string }>({
    text: `SELECT sum(e.customer)::text AS entry, sum(e.provider)::text AS provider, min(l.customer_cost)::text AS row
      FROM ledger_entry e JOIN request_log l USING (request_id) WHERE request_id = $1 AND kind <> 'found'`,
    values: [requestId],
  });
  return rows[0];
}

/** What a process that is paused, or whose machine sleeps, looks like to the others. */
const silence = ({ database }: FreshAccounts) =>
  database.query({
    text: `UPDATE owner SET heartbeat_at = 'epoch' WHERE epoch IN (SELECT owner_epoch FROM hold)`,
  });

test('a process that was taken for dead charges what the limit still leaves, and the operator the rest', async () => {
  await using fresh = await openFreshAccounts({ limit: LIMIT });
  const { caller } = fresh;
  const [paused, other] = [(await fresh.join()).ledger, (await fresh.join()).ledger];
  const late = { caller, requestId: 'late' };
  await reserve(paused, late, LIMIT);
  await until('its hold is closed', async () => {
    await silence(fresh); // again if it has sent a heartbeat meanwhile
    await other.sweep();
    return (await fresh.database.query({ text: 'SELECT FROM hold' })).rows.length === 0;
  });
  await use(other, { caller, requestId: 'other' }, LIMIT - 30n);
  await settle(paused, late, { held: 80n });
  assert.deepEqual(await readMeter(fresh), { used: LIMIT, held: 0n });
  assert.deepEqual(await readCosts(fresh, 'late'), { entry: '30', row: '30', provider: '80' });
  assert.deepEqual(await other.check(), []);
});

test('what an answer cost beyond its hold is charged as far as the limit goes', async () => {
  await using fresh = await openFreshAccounts({ limit: LIMIT });
  const { caller, accounts } = fresh;
  const { ledger } = accounts;
  const asking = [1, 2, 3].map((n) => ({ caller, requestId: `long_${n}` }));
  for (const one of asking) await reserve(ledger, one, 100n);
  const rest = LIMIT - 300n - 50n;
  await use(ledger, { caller, requestId: 'rest' }, rest);
  await Promise.all(asking.slice(0, 2).map((one) => settle(ledger, one, { held: 100n, beyondHold: 40n })));
  await settle(ledger, asking[2]!, { held: 90n });
  assert.deepEqual(await readMeter(fresh), { used: LIMIT - 10n, held: 0n });
  const costs = await Promise.all(asking.map(({ requestId }) => readCosts(fresh, requestId)));
  assert.deepEqual(
    costs.map((cost) => [cost?.entry === cost?.row, cost?.provider]),
    [
      [true, '140'],
      [true, '140'],
      [true, '90'],
    ],
  );
  assert.deepEqual(await ledger.check(), []);
});

/** A process with a lease, whose database does not answer any more. */
async function openLeased(fresh: FreshAccounts, process: LeaseProcess): Promise<void> {
  const { caller } = fresh;
  const { ledger } = process.accounts;
  let serial = 0;
  await until('the key is served from a lease', async () => {
    const asking = Array.from({ length: 8 }, () => ({ caller, requestId: `req_${(serial += 1)}` }));
    await Promise.all(asking.map((one) => reserve(ledger, one, AMOUNT)));
    await Promise.all(asking.map((one) => settle(ledger, one, { held: 1n })));
    return (await fresh.database.query({ text: 'SELECT FROM hold WHERE lease' })).rows.length > 0;
  });
  await ledger.catchUp(caller);
  process.kill();
}

const readLease = async ({ database }: FreshAccounts): Promise<bigint> => {
  const { rows } = await database.query<{ amount: string }>({
    text: 'SELECT amount::text FROM hold WHERE lease',
  });
  assert.equal(rows.length, 1);
  return BigInt(rows[0]?.amount ?? 0);
};

test('requests on a lease that others ended and spent are charged what is left, and what they cost is not lost, too', async () => {
  await using processes = await openLeaseProcesses({ limit: LIMIT });
  const { fresh } = processes;
  const { caller } = fresh;
  const paused = await processes.start('paused');
  await openLeased(fresh, paused);
  const { ledger } = paused.accounts;
  const open = Array.from({ length: 4 }, (_, n) => ({ caller, requestId: `open_${n}` }));
  for (const one of open) await reserve(ledger, one, AMOUNT);
  const lease = await readLease(fresh);
  await silence(fresh);
  const other = fresh.accounts.ledger;
  await other.sweep();
  assert.equal(await other.sumLost(), lease);
  const { used } = await readMeter(fresh);
  await use(other, { caller, requestId: 'other' }, LIMIT - used - 150n);
  paused.revive();
  for (const one of open) await settle(ledger, one, { held: AMOUNT });
  await until('all are written', async () => {
    await ledger.catchUp(caller);
    const costs = await Promise.all(open.map(({ requestId }) => readCosts(fresh, requestId)));
    return costs.every((cost) => typeof cost?.row === 'string');
  });
  assert.deepEqual(await readMeter(fresh), { used: LIMIT, held: 0n });
  assert.equal(await other.sumLost(), lease - 400n, 'while the process goes on');
  await paused.accounts.close();
  assert.equal(await other.sumLost(), 0n);
  assert.deepEqual(await other.check(), []);
});

test('after a power failure what a lease held beyond the cost of its settled requests is lost', async () => {
  await using processes = await openLeaseProcesses({ limit: LIMIT });
  const { fresh } = processes;
  const { caller } = fresh;
  const dead = await processes.start('dead');
  await openLeased(fresh, dead);
  const { ledger } = dead.accounts;
  const lease = await readLease(fresh);
  // Money that a request gives back is used again: together they hold more than the lease has.
  const count = Number(lease / AMOUNT) + 10;
  for (let n = 0; n < count; n += 1) await use(ledger, { caller, requestId: `short_${n}` }, 1n);
  const grown = { caller, requestId: 'grown' };
  await reserve(ledger, grown, AMOUNT);
  await ledger.grow({ requestId: grown.requestId, amount: 3n * AMOUNT, leastAmount: 1n });
  await settle(ledger, grown, { held: 4n * AMOUNT });
  await silence(fresh);
  processes.reboot('dead');
  const successor = await processes.start('dead');
  assert.equal(await successor.accounts.ledger.sumLost(), lease - BigInt(count) - 4n * AMOUNT);
  assert.deepEqual(await successor.accounts.ledger.check(), []);
});
