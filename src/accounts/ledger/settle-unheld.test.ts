import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import type { Database, Session } from '#storage';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createPlanCatalogue } from '../plans/plan-terms.ts';
import { encodeSettlement } from './store/store-codec.ts';

const SETTLEMENTS = 120;
const NOW = Date.UTC(2026, 10, 24, 12);

/** What the ledger says of requests and meters, without ids that are given anew each time. */
const READ_ENTRIES = `
  SELECT e.request_id, e.kind, e.customer::text, e.provider::text,
    ARRAY(SELECT m.kind || ' ' || m.subject_id FROM meter m WHERE m.id = ANY (e.meter_ids) ORDER BY 1) AS meters
  FROM ledger_entry e ORDER BY e.request_id, e.kind`;
const READ_METERS = `
  SELECT kind, subject_id, starts_at::text, used::text, uses::text FROM meter ORDER BY kind, subject_id, starts_at`;
const READ_ROWS = `SELECT request_id, customer_cost::text, estimated FROM request_log ORDER BY request_id`;
/** A request whose hold was swept. */
const INSERT_SWEPT = `
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept, skipped_meter_ids)
  SELECT $1, 'estimate', array_agg(id), 5, 5, true, ARRAY[999999999]
  FROM meter WHERE (kind = 'key' AND subject_id = $2) OR (kind = 'credits' AND subject_id = $3)`;

type Written = [entries: unknown[], meters: unknown[], rows: unknown[]];

/** What batches of settlements lead to, in a transaction that is rolled back. */
async function settle(database: Database, batches: readonly object[][], swept: Caller): Promise<Written> {
  const session = await database.openSession();
  try {
    const read = async (text: string): Promise<unknown[]> => (await session.query({ text })).rows;
    await session.query({ text: 'BEGIN' });
    await insertSwept(session, swept);
    for (const batch of batches)
      await session.query({ text: 'SELECT ledger_settle($1, $2)', values: [JSON.stringify(batch), NOW] });
    const written: Written = [await read(READ_ENTRIES), await read(READ_METERS), await read(READ_ROWS)];
    await session.query({ text: 'ROLLBACK' });
    return written;
  } finally {
    await session.close();
  }
}

async function insertSwept(session: Session, { keyId, organizationId }: Caller): Promise<void> {
  for (const number of [0, 1, 2])
    await session.query({ text: INSERT_SWEPT, values: [`req_${number}`, keyId, organizationId] });
}

test('settlements without a hold lead to the same written together as one by one', async () => {
  const random = createSeededRandom(Number(process.env['SEED'] ?? 20261128));
  await using fresh = await openFreshAccounts({ windowClock: { now: () => NOW } });
  const { directory } = fresh.accounts;
  const { organizationId } = fresh.caller;
  const budget = { recurringLimit: { amount: 10n ** 12n, period: 'hour' as const } };
  const { id: memberId } = await directory.addMember({
    organizationId,
    name: 'm',
    role: 'member',
    ...budget,
  });
  const { projectId } = fresh.caller;
  const { secret, key } = await directory.createKey({ projectId, label: 'renews', memberId, ...budget });
  const token = await directory.createSessionToken({ keyId: key.id, limit: 10n ** 12n });
  await directory.setPlan({ organizationId, plan: 'pro', terms: createPlanCatalogue().pro });
  const callers = [
    fresh.caller,
    await fresh.accounts.identify(secret),
    await fresh.accounts.identify(token.secret, { sessions: true }),
  ];
  const { rows } = await fresh.database.query<{ id: number }>({ text: 'SELECT id::float8 AS id FROM meter' });
  const known = rows.map(({ id }) => id);

  const settlements = Array.from({ length: SETTLEMENTS }, (_, number) => {
    const caller = callers[number % callers.length]!;
    const requestId = `req_${random() < 0.1 ? number >> 1 : number}`; // some twice
    const settlement = {
      requestId,
      customer: random() < 0.2 ? 0n : BigInt(Math.floor(random() * 1_000)),
      provider: BigInt(Math.floor(random() * 1_000)),
      estimated: random() < 0.3,
      unreached: random() < 0.2,
      standard: random() < 0.2,
      row: createRow(caller, requestId),
    };
    const meters =
      random() < 0.3 ? [...known.slice(0, 2), ...(random() < 0.5 ? [999_999_999] : [])] : undefined;
    return encodeSettlement({ settlement, subject: { ...caller, premium: random() < 0.5 }, meters });
  });
  const together = await settle(fresh.database, [settlements], fresh.caller);
  const oneByOne = await settle(
    fresh.database,
    settlements.map((settlement) => [settlement]),
    fresh.caller,
  );
  assert.deepEqual(together, oneByOne);
  const kinds = new Set(together[1].map((meter) => (meter as { kind: string }).kind));
  assert.deepEqual(
    ['key', 'member', 'member_recurring', 'plan', 'premium', 'recurring', 'session'].filter(
      (kind) => !kinds.has(kind),
    ),
    [],
  );
});
