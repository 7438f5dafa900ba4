import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller } from '#accounts';
import { GatewayError } from '#errors';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

const OPERATIONS = repetitions(10_000);
const WORKERS = 96;
const LIMIT = 3_000n * BigInt(OPERATIONS);

const fresh = shareOpened(() => openFreshAccounts({ admissionWaitMs: 50 }));

async function createCallers(): Promise<Caller[]> {
  const { directory } = fresh.accounts;
  const callers: Caller[] = [];
  for (let index = 0; index < 6; index += 1) {
    const { organizationId } =
      index % 2 === 0
        ? { organizationId: (await directory.createOrganization(`o${index}`)).id }
        : callers[index - 1]!;
    const project = await directory.createProject({ organizationId, name: 'p' });
    const limit = index < 4 ? { limit: LIMIT } : {};
    const { secret } = await directory.createKey({ projectId: project.id, label: `k${index}`, ...limit });
    if (index === 4) await directory.addCredits({ organizationId, amount: LIMIT });
    callers.push(await fresh.accounts.identify(secret));
  }
  return callers;
}

test(`after ${OPERATIONS} random reserves, settlements, departures and lost answers in two processes every sum agrees and no limit is crossed`, async () => {
  const seed = Number(process.env['SEED'] ?? 20261123);
  const random = createSeededRandom(seed);
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const other = await fresh.join({ database: faulty.database });
  const callers = await createCallers();
  const paid = new Map<string, bigint>();
  let started = 0;

  const runOne = async ({ ledger }: Accounts): Promise<void> => {
    const requestId = `req_${(started += 1)}`;
    const caller = callers[Math.floor(random() * callers.length)]!;
    const amount = BigInt(Math.floor(random() * 50_000));
    const least = random() < 0.3 ? { leastAmount: amount / 10n } : {};
    const row = createRow(caller, requestId);
    const gone = random() < 0.1 ? AbortSignal.timeout(Math.ceil(random() * 20)) : undefined;
    const hold = await ledger.reserve({ requestId, caller, amount, ...least, row }, gone);
    if (random() < 0.2) ledger.recordProgress(requestId, { customer: 1n, provider: 1n, row });
    const customer = (hold.amount * BigInt(Math.floor(random() * 101))) / 100n;
    if (random() < 0.01) return; // left open: its process will be gone
    paid.set(caller.keyId, (paid.get(caller.keyId) ?? 0n) + customer);
    await ledger.settle({ requestId, customer, provider: customer, estimated: random() < 0.1, row });
    if (random() < 0.05)
      await ledger.settle({ requestId, customer: 0n, provider: 0n, estimated: false, row });
  };
  const work = async (accounts: Accounts): Promise<void> => {
    while (started < OPERATIONS) {
      if (random() < 0.01) Object.assign(faulty, { state: random() < 0.5 ? 'silent' : 'down', faults: 3 });
      await runOne(accounts).catch((error: unknown) => {
        assert.ok(
          error instanceof GatewayError && error.blame !== 'upstream' && error.code !== 'internal_error',
          String(error),
        );
      });
    }
  };
  await Promise.all(
    Array.from({ length: WORKERS }, (_, index) => work(index % 2 === 0 ? fresh.accounts : other)),
  );
  faulty.state = 'up';

  const { rows: meters } = await fresh.database.query<{
    kind: string;
    lim: string | null;
    used: string;
    held: string;
  }>({
    text: 'SELECT kind, lim::text, used::text, held::text FROM meter',
  });
  for (const { lim, used, held } of meters) {
    assert.ok(
      lim === null || BigInt(used) + BigInt(held) <= BigInt(lim),
      `seed ${seed}: ${used} + ${held} > ${lim}`,
    );
  }
  await other.close();
  const sweeper = await fresh.join({ exclusive: true }); // other processes with open holds renew their heartbeat each second
  assert.deepEqual(await sweeper.ledger.check(), [], `seed ${seed}`);
  const { rows: open } = await fresh.database.query({ text: 'SELECT 1 FROM hold' });
  assert.equal(open.length, 0, `seed ${seed}: open holds`);
  const { rows: keys } = await fresh.database.query<{ subject_id: string; used: string }>({
    text: `SELECT subject_id, used::text FROM meter WHERE kind = 'key'`,
  });
  const estimated = await fresh.database.query<{ id: string; customer: string }>({
    text: `SELECT l.key_id AS id, sum(e.customer)::text AS customer FROM ledger_entry e JOIN request_log l USING (request_id) WHERE e.swept GROUP BY 1`,
  });
  for (const { subject_id: id, used } of keys) {
    const swept = BigInt(estimated.rows.find((row) => row.id === id)?.customer ?? '0');
    assert.equal(BigInt(used), (paid.get(id) ?? 0n) + swept, `seed ${seed}: key ${id}`);
  }
});
