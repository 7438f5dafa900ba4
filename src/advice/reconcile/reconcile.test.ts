import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createUsage } from '#canonical';
import { encodePrice, parsePrice, priceUsage } from '#catalogue';
import type { ProviderAttempt, ProviderReader, ProviderRow, ProviderSum } from '#logs';
import { readCsvReport } from './csv-report.ts';
import { readJsonReport } from './json-report.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';
import { type ProviderReport, ReportFault, type ReportLine, familyOf } from './report-line.ts';
import { readUsd } from './report-values.ts';

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 9, 1);
const PRICE = parsePrice({
  input: '3',
  output: '15',
  cacheRead: '0.3',
  cacheWrite5m: '3.75',
  cacheWrite1h: '6',
});
const CATALOGUE = { providers: new Map(), models: new Map(), names: new Map() };
const floor = (moment: number): number => Math.floor(moment / HOUR) * HOUR;

function createRow(number: number, more: Partial<ProviderRow> = {}): ProviderRow {
  const usage = createUsage({
    inputUncached: 100 + number * 7,
    inputCacheRead: number % 3 === 0 ? 1_000 + number : 0,
    inputCacheWrite5m: number % 4 === 0 ? 300 + number : 0,
    outputText: 10 + number * 3,
  });
  const startedAt = BEGIN + number * 10 * 60_000;
  return {
    requestId: `req_${number}`,
    upstreamId: `msg_${number}`,
    startedAt,
    endedAt: startedAt + 9_000,
    externalId: `model-${number % 2}`,
    modelId: `model-${number % 2}`,
    priceVersion: PRICE.version,
    isText: true,
    isEstimated: false,
    usage,
    cost: priceUsage(PRICE, usage),
    ...more,
  };
}

/** The rows of a gateway in memory. */
function createLog(rows: readonly ProviderRow[], attempts: readonly ProviderAttempt[] = []): ProviderReader {
  const inside = (span: { since: number; until: number }): ProviderRow[] =>
    rows.filter(({ startedAt }) => startedAt >= span.since && startedAt < span.until);
  return {
    sum: async (span, widthMs) =>
      inside(span).map(({ startedAt, externalId, priceVersion, usage, cost }): ProviderSum => ({
        at: Math.floor(startedAt / widthMs) * widthMs,
        externalId,
        isText: true,
        requests: 1,
        usage,
        cost,
        ...(priceVersion !== undefined && { priceVersion }),
      })),
    listRows: async (span, choice) =>
      inside(span).filter(
        ({ startedAt, endedAt, isEstimated }) =>
          choice.kind === 'all' ||
          (choice.kind === 'marked' ? isEstimated : floor(startedAt) !== floor(endedAt)),
      ),
    listAttempts: async () => [...attempts],
    listPrices: async () => new Map([[PRICE.version, JSON.stringify(encodePrice(PRICE))]]),
  };
}

/** A line per request of a provider that counts them when they end. */
const toLine = (row: ProviderRow): ReportLine => ({
  place: row.requestId,
  kind: 'request',
  from: row.endedAt,
  to: row.endedAt,
  model: row.externalId,
  upstreamId: row.upstreamId ?? '',
  facts: {},
  amounts: {
    input: BigInt(row.usage.inputUncached),
    cache_read: BigInt(row.usage.inputCacheRead),
    cache_write: BigInt(row.usage.inputCacheWrite5m),
    output: BigInt(row.usage.outputText),
    cost: row.cost,
  },
});

/** A line per hour and model. */
function toHours(rows: readonly ProviderRow[]): ReportLine[] {
  const groups = Map.groupBy(rows.map(toLine), ({ from, model }) => `${floor(from)} ${model}`);
  return [...groups.values()].map((lines) => {
    const [first] = lines;
    assert.ok(first);
    const { upstreamId: _, ...line } = first;
    const amounts: Record<string, bigint> = {};
    for (const one of lines)
      for (const [name, value] of Object.entries(one.amounts)) amounts[name] = (amounts[name] ?? 0n) + value;
    return { ...line, kind: 'usage', from: floor(first.from), to: floor(first.from) + HOUR, amounts };
  });
}

function ask(
  log: ProviderReader,
  lines: ReportLine[],
  more: Partial<ProviderReport> = {},
): Promise<Reconciliation> {
  const buckets = lines.flatMap(({ kind, from, to }) =>
    kind === 'request' ? [] : (['usage', 'cost'] as const).map((name) => ({ kind: name, from, to })),
  );
  const bounds = { since: BEGIN, until: BEGIN + 12 * HOUR };
  const report = { lines, buckets, remarks: [], ...more };
  const question = { providerId: 'acme', report, tolerance: 0n, asOf: BEGIN + 100 * HOUR };
  return reconcile({ log, catalogue: CATALOGUE }, { ...question, ...bounds });
}

const ROWS = Array.from({ length: 70 }, (_, number) => createRow(number));
const FAULTS = ['missing there', 'counted twice', 'tokens differ', 'cost differs', 'missing here'] as const;

function plant(line: ReportLine, fault: (typeof FAULTS)[number], size: bigint): ReportLine[] {
  const { amounts } = line;
  if (fault === 'missing there') return [];
  if (fault === 'counted twice') return [line, line];
  if (fault === 'tokens differ')
    return [{ ...line, amounts: { ...amounts, output: (amounts.output ?? 0n) + size } }];
  if (fault === 'cost differs')
    return [{ ...line, amounts: { ...amounts, cost: (amounts.cost ?? 0n) + size } }];
  return [line, { ...line, upstreamId: `foreign ${line.place}`, model: `strange ${line.place}` }];
}

test('whatever faults are planted among requests and hours, they are found by their kind and none is invented', async () => {
  const faults = fc.uniqueArray(
    fc.record({ at: fc.nat(23), fault: fc.constantFrom(...FAULTS), size: fc.bigInt(1n, 9_999n) }),
    { selector: ({ at }) => at, maxLength: 12 },
  );
  const lists: Record<string, ReportLine[]> = { requests: ROWS.map(toLine), hours: toHours(ROWS) };
  await fc.assert(
    fc.asyncProperty(faults, fc.constantFrom('requests', 'hours'), async (planted, name) => {
      const byLine = new Map(planted.map((one) => [one.at, one]));
      const lines = (lists[name] ?? []).flatMap((line, at) => {
        const one = byLine.get(at);
        return one ? plant(line, one.fault, one.size) : [line];
      });
      const { differences } = await ask(createLog(ROWS), lines);
      const found = differences.filter(({ explanation }) => !explanation).map(({ kind }) => kind);
      assert.deepEqual(found.toSorted(), planted.map(({ fault }) => fault).toSorted());
    }),
    { numRuns: 150 },
  );
});

test('a request that runs into the next hour is in one of them, whichever the provider takes', async () => {
  const crossing = createRow(5, { endedAt: floor(BEGIN) + HOUR + 30_000 });
  const rows = [...ROWS.filter(({ requestId }) => requestId !== 'req_5'), crossing];
  for (const billed of [crossing, { ...crossing, endedAt: crossing.startedAt }]) {
    const lines = toHours([...rows.filter((row) => row !== crossing), billed]);
    const { differences, boundaries } = await ask(createLog(rows), lines);
    assert.deepEqual(differences, []);
    assert.deepEqual(
      boundaries.shifts.map(({ requestIds }) => requestIds),
      billed === crossing ? [['req_5']] : [],
    );
  }
});

test('estimates and failed calls explain what fits them, and nothing else', async () => {
  const estimated = createRow(1, { isEstimated: true });
  const rows = [estimated, ...ROWS.slice(2)];
  const [line] = toHours([estimated, ...ROWS.slice(2)]).filter(({ model }) => model === 'model-1');
  assert.ok(line);
  const more = (output: bigint): ReportLine[] =>
    toHours(rows).map((one) =>
      one.from === line.from && one.model === line.model
        ? { ...one, amounts: { ...withoutCost(one), output: (one.amounts.output ?? 0n) + output } }
        : { ...one, amounts: withoutCost(one) },
    );
  const causeOf = async (output: bigint): Promise<unknown[]> =>
    (await ask(createLog(rows), more(output))).differences.map(({ explanation }) => explanation?.cause);
  assert.deepEqual(await causeOf(BigInt(estimated.usage.outputText)), ['estimate']);
  assert.deepEqual(await causeOf(BigInt(estimated.usage.outputText) + 1n), [undefined]);

  const row = createRow(8);
  const call = { requestId: 'req_8', externalId: 'model-0', outcome: 'outpaced', startedAt: row.startedAt };
  const prompt = row.usage.inputUncached + row.usage.inputCacheRead + row.usage.inputCacheWrite5m;
  const attempt = { ...call, endedAt: row.endedAt, inputTokens: prompt };
  const lost = { ...toLine(row), upstreamId: 'msg_lost' };
  const lines = [...ROWS.map(toLine), lost];
  const found = await ask(createLog(ROWS, [attempt]), lines);
  assert.deepEqual(
    found.differences.map(({ explanation }) => [explanation?.cause, explanation?.requestIds]),
    [['failed call', ['req_8']]],
  );
  const other = await ask(createLog(ROWS, [{ ...attempt, inputTokens: prompt + 1 }]), lines);
  assert.deepEqual(
    other.differences.map(({ kind, explanation }) => [kind, explanation]),
    [['missing here', undefined]],
  );
  assert.match(other.differences[0]?.hints[0] ?? '', /req_8/);
});

function withoutCost({ amounts }: ReportLine): ReportLine['amounts'] {
  const rest = { ...amounts };
  delete rest.cost;
  return rest;
}

test('what lacks in the last 24 hours is provisional; what is too much there is not', async () => {
  const lines = ROWS.map(toLine).slice(1);
  const question = { providerId: 'acme', tolerance: 0n, asOf: BEGIN + 2 * HOUR };
  const report = {
    lines: [...lines, { ...toLine(ROWS[3]!), upstreamId: 'msg_x' }],
    buckets: [],
    remarks: [],
  };
  const { differences } = await reconcile(
    { log: createLog(ROWS), catalogue: CATALOGUE },
    { ...question, report },
  );
  assert.deepEqual(
    differences.map(({ kind, explanation }) => [kind, explanation?.cause]),
    [
      ['missing there', 'not final'],
      ['missing here', undefined],
    ],
  );
});

test('CSV files are read by RFC 4180, and what is wrong in one is refused with its line', () => {
  const text =
    'upstream_id,time,output_tokens,cost_usd,note\r\n"a ""1""",2026-10-01T00:00:01Z,5,0.25,"x,\ny"\n';
  const [line] = readCsvReport('a.csv', text).lines;
  assert.deepEqual(
    [line?.upstreamId, line?.amounts, line?.facts],
    ['a "1"', { output: 5n, cost: 250_000_000_000n }, { note: 'x,\ny' }],
  );
  const wrong: [string, RegExp][] = [
    ['', /is empty/],
    ['time\n', /line 1: needs cost_usd or one of/],
    ['cost_usd\n1', /line 1: needs one of the columns time, hour and day/],
    ['time,time,cost_usd\n', /the column "time" twice/],
    ['hour,cost_usd\n2026-10-01T00:00:00Z,1\n2026-10-01T00:30:00Z,1', /line 3: its time is not the start/],
    ['time,cost_usd\n2026-10-01,1,2', /line 2: has 3 cells instead of 2/],
    ['time,cost_usd\n2026-10-01,one', /line 2: its cost_usd is not an amount: "one"/],
    ['time,output_tokens\n2026-02-30,1', /line 2: its time is not an ISO 8601 time/],
    ['time,output_tokens\n2026-10-01,1.5', /line 2: its output_tokens is not a whole number: "1.5"/],
    ['time,output_tokens\n2026-10-01,"1" ', /line 2: has a quote in the wrong place/],
    ['time,upstream_id,cost_usd\n2026-10-01,,1', /line 2: has no upstream_id/],
  ];
  for (const [bad, message] of wrong)
    assert.throws(
      () => readCsvReport('a.csv', bad),
      (error) => error instanceof ReportFault && message.test(error.message),
      bad,
    );
});

test('JSON that is no report is refused with its place, and reports of other things are named', () => {
  const refused = (value: unknown): string => {
    try {
      readJsonReport('openai', [{ name: 'f.json', text: JSON.stringify(value) }]);
    } catch (error) {
      return String(error);
    }
    return 'read';
  };
  const bucket = (result: object) => ({ data: [{ start_time: 0, end_time: 3_600, results: [result] }] });
  const usage = { object: 'organization.usage.completions.result', output_tokens: 1 };
  assert.match(refused({}), /f\.json: has no array "data"/);
  assert.match(refused({ data: [{}] }), /data\[0\]: is not a bucket/);
  assert.match(refused(bucket({ ...usage, input_tokens: 1, input_cached_tokens: 2 })), /do not include/);
  assert.match(refused(bucket({ ...usage, input_tokens: -1 })), /is not a whole number/);
  assert.match(
    refused(bucket({ object: 'organization.costs.result', amount: { value: 1, currency: 'eur' } })),
    /USD/,
  );
  const text = JSON.stringify({ ...bucket({ object: 'organization.usage.images.result' }), has_more: true });
  assert.deepEqual(readJsonReport('openai', [{ name: 'f', text }]).remarks, [
    'not compared: 1 result of organization.usage.images.result',
    'the last page is missing: every page has_more',
  ]);
});

test('amounts are exact to a pico-USD, and dated names are one family', () => {
  assert.equal(readUsd('123.78912', 2), 1_237_891_200_000n);
  assert.equal(readUsd(1e-7), 100_000n);
  assert.equal(readUsd(0.13080438340307526), 130_804_383_403n);
  assert.equal(readUsd('1,5'), undefined);
  assert.deepEqual(
    ['gpt-4o-2024-08-06', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5@20251001', 'GPT-4o', 'gpt-5.4'].map(
      familyOf,
    ),
    ['gpt-4o', 'claude-haiku-4-5', 'claude-haiku-4-5', 'gpt-4o', 'gpt-5.4'],
  );
});
