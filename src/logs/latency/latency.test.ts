import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { fillLog } from '../../../test/support/fill-log.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { LogUpkeep } from '../upkeep/upkeep.ts';
import { columnOf, composeTime, isTime } from '../usage/usage-groups.ts';
import { type LatencyReader, createLatencyReader } from './latency.ts';
import { readPercentiles } from './percentiles.ts';
import { LATENCY_GROUPS, type LatencyFilter, MOST_LINES } from './select-latency.ts';

const HOUR_MS = 3_600_000;
const DAYS = 6;
const ANSWERED = `finish_reason IN ('completed', 'length', 'tool_calls', 'content_filter') AND NOT cached`;

let latency: LatencyReader;
const keep = (id: string, facts: object): Promise<unknown> => {
  const caller = { organizationId: 'org_0', projectId: 'prj_0_0', keyId: 'key_0_0', keyLabel: 'k' };
  const row = createRow(caller, id, { modelId: 'model-1', providerId: 'provider-1', ...facts });
  return fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([row])] });
};
const maintain = () =>
  new LogUpkeep({
    database: fresh.database,
    limits: { maxAgeDays: 400, maxBytes: 1024 ** 4 },
    onFault: (error) => assert.ifError(error),
  }).pass();

const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  latency = createLatencyReader({ database: fresh.database });
  await fillLog(fresh.database, { rows: 4_000, days: DAYS, organizations: 2 });
  await maintain();
});

/** The same from the rows alone. */
async function readRows({ by = [], since, until, projectId, model }: LatencyFilter): Promise<string[]> {
  const groups = by.map((name) => (isTime(name) ? composeTime(name) : `COALESCE(${columnOf(name)}, '')`));
  const { rows } = await fresh.database.query<{ name: string; whole: number[]; first: (number | null)[] }>({
    text: `SELECT concat_ws(' ', '', ${groups.join(', ') || "''"}) AS name, array_agg(latency_bucket(duration_ms)) AS whole,
        array_agg(latency_bucket(first_event_ms)) AS first
      FROM (SELECT *, usage_hour_of(started_at) AS hour FROM request_log) AS l
      WHERE ${ANSWERED} AND hour >= usage_hour_of(to_timestamp($1::float8 / 1000))
        AND started_at < to_timestamp($2::float8 / 1000)
        AND ($3::text IS NULL OR project_id = $3) AND ($4::text IS NULL OR model_id = $4)
      GROUP BY 1`,
    values: [
      since ?? 0,
      until === undefined ? 1e13 : Math.ceil(until / HOUR_MS) * HOUR_MS,
      projectId ?? null,
      model ?? null,
    ],
  });
  return rows
    .map(({ name, whole, first }) => JSON.stringify([name.trim(), describe(whole), describe(first)]))
    .sort();
}

function describe(buckets: readonly (number | null)[]): unknown {
  const counts = new Map<number, number>();
  for (const bucket of buckets) if (bucket !== null) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  return readPercentiles(counts) ?? null;
}

async function compare(filter: LatencyFilter): Promise<void> {
  const lines = await latency.list(filter, 'all');
  const found = lines.map(({ group, duration, firstToken }) =>
    JSON.stringify([
      (filter.by ?? [])
        .map((name) => group[name])
        .join(' ')
        .trim(),
      duration ?? null,
      firstToken ?? null,
    ]),
  );
  const expected = await readRows(filter);
  const known = new Set(expected);
  assert.equal(found.length, Math.min(expected.length, MOST_LINES), JSON.stringify(filter));
  assert.deepEqual(
    found.filter((line) => !known.has(line)),
    [],
    JSON.stringify(filter),
  );
}

test('whatever the span and the grouping, percentiles are those of the counts of the rows', async () => {
  const { rows } = await fresh.database.query<{ days: bigint }>({
    text: 'SELECT count(DISTINCT day) AS days FROM latency_day JOIN latency_day_model USING (day)',
  });
  assert.ok((rows[0]?.days ?? 0n) > 3n);
  await keep('req_late', { startedAt: Date.now() - 60 * HOUR_MS, durationMs: 70_000, firstEventMs: 9 });
  const next = createSeededRandom(7);
  const pick = (most: number): number => Math.floor(next() * most);
  for (let turn = 0; turn < 60; turn += 1) {
    const since = Date.now() - pick(DAYS * 24) * HOUR_MS - pick(HOUR_MS);
    await compare({
      by: LATENCY_GROUPS.filter(() => pick(5) === 0),
      ...(pick(4) > 0 && { since }),
      ...(pick(3) > 0 && { until: since + pick(96) * HOUR_MS + pick(HOUR_MS) }),
      ...(pick(3) === 0 && { projectId: 'prj_0_1' }),
      ...(pick(4) === 0 && { model: 'model-1' }),
    });
  }
});

test('late rows are in the percentiles before and after their hour is counted again', async () => {
  await keep('req_later', { startedAt: Date.now() - 80 * HOUR_MS, durationMs: 500_000 });
  const slowest = async () =>
    (await latency.list({ by: ['hour'] }, { organizationId: 'org_0' })).filter(
      ({ duration }) => (duration?.p99 ?? 0) > 300_000,
    ).length;
  assert.equal(await slowest(), 1);
  await maintain();
  assert.equal(await slowest(), 1);
  await compare({ by: ['day'] });
});

test('hours that were counted without times are read from their rows', async () => {
  await fresh.database.query({
    text: `WITH one AS (UPDATE log_state SET timed_from = counted_through - interval '50 hours' RETURNING timed_from)
      DELETE FROM latency_hour USING one WHERE hour < timed_from`,
  });
  await compare({ by: ['model'] });
  await compare({});
});

test('answers from the response cache, requests without an answer and counts of tokens have no times', async () => {
  const of = { modelId: 'model-quiet', durationMs: 5, firstEventMs: 5 };
  await keep('req_cached', { ...of, cached: true });
  await keep('req_canceled', { ...of, finishReason: 'canceled' });
  await keep('req_failed', { ...of, finishReason: 'upstream_error' });
  const counts = [
    '/v1/messages/count_tokens',
    '/v1/responses/input_tokens',
    '/v1beta/models/{model}:countTokens',
  ];
  for (const endpoint of counts) await keep(`req_${endpoint}`, { ...of, endpoint });
  assert.deepEqual(await latency.list({ model: 'model-quiet' }, { organizationId: 'org_0' }), [
    { group: {}, duration: undefined, firstToken: undefined },
  ]);
});

test('another organization sees none of it', async () => {
  assert.deepEqual(await latency.list({ by: ['model'] }, { organizationId: 'org_stranger' }), []);
});
