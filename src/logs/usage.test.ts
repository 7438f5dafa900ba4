import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRow } from '../../test/support/fresh-accounts.ts';
import { fillLog } from '../../test/support/fill-log.ts';
import { type FreshDatabase, openFreshDatabase } from '../../test/support/fresh-database.ts';
import { createSeededRandom } from '../../test/support/seeded-random.ts';
import { LogUpkeep } from './upkeep.ts';
import { USAGE_GROUPS, type UsageFilter, type UsageGroup } from './select-usage.ts';
import { type UsageBook, createUsageBook } from './usage.ts';

const HOUR_MS = 3_600_000;
const DAYS = 12;

let fresh: FreshDatabase;
let usage: UsageBook;
before(async () => {
  fresh = await openFreshDatabase();
  usage = createUsageBook({ database: fresh.database });
  await fillLog(fresh.database, { rows: 3_000, days: DAYS });
  const limits = { maxAgeDays: 400, maxBytes: 1024 ** 4 };
  await new LogUpkeep({ database: fresh.database, limits, onFault: (error) => assert.ifError(error) }).pass();
  const caller = { organizationId: 'org_0', projectId: 'prj_0_0', keyId: 'key_0_0', keyLabel: 'k' };
  const late = createRow(caller, 'req_late', {
    startedAt: Date.now() - 60 * HOUR_MS,
    modelId: 'model-1',
    providerId: 'provider-1',
  });
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([late])] });
});
after(() => fresh[Symbol.asyncDispose]());

/** The same from the rows alone. */
async function sumRows({ by = [], since, until, projectId }: UsageFilter): Promise<string[]> {
  const groups = by.map((name) => USAGE_GROUPS[name]);
  const { rows } = await fresh.database.query<{ line: string }>({
    text: `SELECT concat_ws(' ', ${[...groups, 'count(*)', 'sum(customer_cost)', 'sum(output_text)'].join(', ')}) AS line
      FROM (SELECT *, usage_hour_of(started_at) AS hour FROM request_log) AS l
      WHERE hour >= usage_hour_of(to_timestamp($1::float8 / 1000)) AND started_at < to_timestamp($2::float8 / 1000)
        AND ($3::text IS NULL OR project_id = $3)
      ${groups.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${groups.join(', ')}`}`,
    values: [
      since ?? 0,
      until === undefined ? 1e13 : Math.ceil(until / HOUR_MS) * HOUR_MS,
      projectId ?? null,
    ],
  });
  return rows.map(({ line }) => line).sort();
}

test('whatever the span and the grouping, usage is the sum of the rows', async () => {
  const counts = await fresh.database.query<{ days: bigint; late: bigint }>({
    text: 'SELECT (SELECT count(*) FROM usage_day) AS days, (SELECT count(*) FROM usage_late) AS late',
  });
  assert.ok((counts.rows[0]?.days ?? 0n) > 0n && counts.rows[0]?.late === 1n);
  const names = Object.keys(USAGE_GROUPS) as UsageGroup[];
  const next = createSeededRandom(7);
  const pick = (most: number): number => Math.floor(next() * most);
  for (let turn = 0; turn < 120; turn += 1) {
    const by = names.filter(() => pick(3) === 0);
    const now = Date.now();
    const since = now - pick(DAYS * 24) * HOUR_MS - pick(HOUR_MS);
    const filter: UsageFilter = {
      by,
      ...(pick(4) > 0 && { since }),
      ...(pick(3) > 0 && { until: since + pick(96) * HOUR_MS + pick(HOUR_MS) }),
      ...(pick(3) === 0 && { projectId: 'prj_0_1' }),
    };
    const lines = await usage.listAsOperator(filter);
    assert.deepEqual(
      lines
        .map(({ group, requests, customer, usage: parts }) =>
          [...by.map((name) => group[name]), requests, customer, parts.outputText].join(' '),
        )
        .sort(),
      await sumRows(filter),
      JSON.stringify(filter),
    );
  }
});
