import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { countReads } from '../../../test/support/count-reads.ts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { encodeRecords } from './store/encode-record.ts';
import { LedgerCalls } from './store/ledger-calls.ts';
import { OwnerStore } from './store/owner-store.ts';
import { encodeSettlement, encodeTry } from './store/store-codec.ts';

const KEYS = 1_000;
const LEFT = 100;
const FILL = `
  INSERT INTO api_key (id, project_id, label, digest, masked)
  SELECT id, $2, id, sha256(id::bytea), '' FROM unnest($1::text[]) AS id`;
const REPORT = `SELECT ledger_report(1, $1, $2, NULL, NULL, NULL, NULL, $3, '{}') AS value`;
/** How often the meters have been changed, after settlements. */
const SETTLE_AND_COUNT = `
  SELECT ARRAY[ledger_step(1, $1, NULL, NULL)::text, pg_stat_get_xact_tuples_updated('meter'::regclass)::text] AS value`;

const fresh = shareOpened(() => openFreshAccounts());
let keyIds: string[];
before(async () => {
  keyIds = Array.from({ length: KEYS }, (_, number) => `key_${number}`);
  await execute('ALTER TABLE api_key DISABLE TRIGGER USER'); // an audit row for each takes long
  await execute(FILL, [keyIds, fresh.caller.projectId]);
  await execute('ALTER TABLE api_key ENABLE TRIGGER USER');
  await execute(`INSERT INTO meter (kind, subject_id) SELECT 'key', id FROM unnest($1::text[]) AS id`, [
    keyIds,
  ]);
});

/** What a statement reads, and the `value` that it returns. */
const countCall = (text: string, values: unknown[]): Promise<{ reads: number; value: unknown[] }> =>
  countReads(fresh.database, async (session) => {
    const { rows } = await session.query<{ value: unknown[] }>({ text, values });
    return rows[0]?.value ?? [];
  });

function execute(text: string, values: unknown[] = []): Promise<unknown> {
  return fresh.database.query({ text, values });
}

/** The values of `REPORT`: a lease of each key. */
function createReport(keys: string[]): unknown[] {
  const { organizationId } = fresh.caller;
  const leases = keys.map((keyId) => {
    return [`lease_1_${keyId}`, keyId, organizationId, undefined, undefined, '0', '1000', '1'];
  });
  return [keys, [organizationId], encodeRecords(leases)];
}

/** In this order: each is what the one before has left, and one thing more. */
const STATES: Record<string, () => Promise<unknown>> = {
  'without statistics of the tables': () => Promise.resolve(),
  'with statistics': () => execute('ANALYZE'),
  'with statistics of a time when nothing was held': () => execute('VACUUM (ANALYZE, TRUNCATE off)'),
  'with leases that statistics do not know of': () => execute(REPORT, createReport(keyIds)),
  'where limits renew': () => execute(`SELECT recurring_limit_set(id, 1000000, 'day') FROM api_key`),
  'where limits renew, with statistics': () => execute('ANALYZE'),
};

for (const [state, prepare] of Object.entries(STATES)) {
  suite(state, () => {
    before(prepare);

    test('a request reads the meters of its own key, however many keys there are', async () => {
      const { caller } = fresh;
      const request = { requestId: 'req_one', caller, amount: 1n, row: createRow(caller, 'req_one') };
      const { reads, value } = await countCall('SELECT ledger_step(1, NULL, $1, NULL) AS value', [
        JSON.stringify([encodeTry({ request, final: false })]),
      ]);
      assert.deepEqual(value, [{ s: 'ok', a: '1' }]);
      assert.ok(reads < 100, `${reads} reads`);
    });

    test('so does a report of one lease', async () => {
      const { reads } = await countCall(REPORT, createReport(keyIds.slice(-1)));
      assert.ok(reads < 100, `${reads} reads`);
    });

    test('a report of a thousand leases reads each of them a few times, not with each other', async () => {
      const { reads, value } = await countCall(REPORT, createReport(keyIds));
      assert.equal(value.length, KEYS, 'each exists');
      assert.ok(reads < 100 * KEYS, `${reads} reads`);
    });

    test('the progress of a request is restored to its hold, without reading others; a heartbeat reads none', async () => {
      const progress = { [`lease_1_${keyIds[0] ?? ''}`]: { c: '1', p: '1', row: {} } };
      const counted = await countReads(fresh.database, ({ query }) =>
        new OwnerStore(new LedgerCalls({ ...fresh.database, query })).restoreProgress(progress),
      );
      assert.ok(counted.reads < 100, `${counted.reads} reads`);
      const { reads } = await countCall(`SELECT ARRAY[ledger_beat(1, '', '{}')::text] AS value`, []);
      assert.ok(reads < 100, `${reads} reads`);
    });

    test('a settlement reads as little', async () => {
      const { caller } = fresh;
      const { organizationId, projectId, keyId } = caller;
      const requestId = `req_two ${state}`;
      const row = createRow(caller, requestId);
      await fresh.accounts.ledger.reserve({ requestId, caller, amount: 1n, row });
      const settlement = { requestId, customer: 1n, provider: 1n, estimated: false, row };
      const owned = { settlement, subject: { organizationId, projectId, keyId, premium: false } };
      const { reads } = await countCall('SELECT ARRAY[ledger_step(1, $1, NULL, NULL)] AS value', [
        JSON.stringify([encodeSettlement(owned)]),
      ]);
      assert.ok(reads < 100, `${reads} reads`);
    });

    test('settlements that a crashed process left change each meter once for all of them', async () => {
      const { organizationId, projectId, keyId } = fresh.caller;
      const settlements = Array.from({ length: LEFT }, (_, number) => {
        const requestId = `req_left_${number}`;
        const row = createRow(fresh.caller, requestId);
        const settlement = { requestId, customer: 3n, provider: 1n, estimated: false, row };
        return encodeSettlement({
          settlement,
          subject: { organizationId, projectId, keyId, premium: false },
        });
      });
      const { reads, value } = await countCall(SETTLE_AND_COUNT, [JSON.stringify(settlements)]);
      assert.ok(Number(value[1]) <= 4, `${String(value[1])} updates`);
      assert.ok(reads < 50 * LEFT, `${reads} reads`);
    });
  });
}
