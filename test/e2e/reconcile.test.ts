import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type JsonObject, parseUsd } from '#base';
import {
  hourOf,
  writeAnalytics,
  writeAnthropicCosts,
  writeAnthropicUsage,
  writeCsv,
  writeOpenaiCosts,
  writeOpenaiUsage,
} from '../support/billed-exports.ts';
import { type Billed, type BilledBy, BillingRecord, FATES } from '../support/billing-record.ts';
import { runCommand } from '../support/command-line.ts';
import { type Pages, changeCosts, describe, doubleResult, plant } from '../support/planted-bills.ts';
import { keepPrices } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOURS = 8;
const MODELS: Record<BilledBy, string[]> = {
  anthropic: ['claude-haiku-4-5', 'claude-sonnet-4-6', 'claude-opus-4-6'],
  openai: ['gpt-5-mini', 'gpt-4o'],
};
const ADMIN_KEY = 'sk-ant-admin01-0123456789abcdef0123456789abcdef';

const folder = createTemporaryFolder();
let record: BillingRecord;
/** Two days; requests are around the midnight between them. */
let span: [number, number];

const gateway = shareGateway({
  env: { SLUICE_ADAPTIVE_ROUTING: 'on' },
  config: ({ baseUrl }) => `providers:
  - { id: openai, baseUrl: ${baseUrl}, apiKey: k1 }
  - { id: anthropic, baseUrl: ${baseUrl}, apiKey: k2 }
`,
});
before(async () => {
  await keepPrices(gateway.database, gateway.catalogue);
  const firstDay = Math.floor(gateway.clock.now() / DAY) * DAY - 5 * DAY;
  span = [firstDay, firstDay + 2 * DAY];
  const begin = firstDay + 20 * HOUR;
  gateway.clock.advance(begin - gateway.clock.now());
  record = new BillingRecord(gateway.upstream, gateway.clock);
  for (let hour = 0; hour < HOURS; hour += 1) {
    gateway.clock.advance(begin + hour * HOUR + 5 * 60_000 - gateway.clock.now());
    await sendHour(hour);
  }
});
after(() => folder.remove());

/** Three requests of each model, in two hours with a fate. */
async function sendHour(hour: number): Promise<void> {
  for (const model of Object.values(MODELS).flat()) {
    for (const number of [1, 2, 3]) await send(model, `${model} ${hour} ${number}`);
  }
  if (hour === 1) await send('claude-haiku-4-5', `${FATES.retried} once`);
  if (hour === 2) await leave('claude-sonnet-4-6', FATES.left);
  if (hour !== 4) return;
  await send('gpt-4o', `${FATES.retried} too`);
  gateway.clock.advance(40 * 60_000);
  await send('claude-opus-4-6', FATES.late);
}

function write(model: string, text: string): { path: string; body: JsonObject } {
  const path = model.startsWith('gpt') ? '/v1/chat/completions' : '/v1/messages';
  const isSecond = text.endsWith(' 2');
  const body = {
    model,
    max_tokens: 2_000,
    messages: [{ role: 'user', content: text }],
    ...(isSecond && model === 'gpt-5-mini' && { service_tier: 'priority' }),
    ...(isSecond && model === 'claude-opus-4-6' && { inference_geo: 'us' }),
  };
  return { path, body };
}

async function send(model: string, text: string): Promise<void> {
  const { path, body } = write(model, text);
  const response = await gateway.post(path, body);
  assert.equal(response.status, 200, await response.text());
  await gateway.getRow(response);
}

/** Reads the beginning of a stream, then leaves. */
async function leave(model: string, text: string): Promise<void> {
  const { path, body } = write(model, text);
  const leaving = new AbortController();
  const response = await gateway.request(path, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  });
  const reader = response.body!.getReader();
  let received = '';
  while (received.split('text_delta').length < 13)
    received += Buffer.from((await reader.read()).value ?? []).toString();
  const id = response.headers.get('x-request-id') ?? '';
  leaving.abort();
  await reader.closed.catch(() => undefined);
  await gateway.waitForRow(id);
}

interface Found {
  kind: string;
  model: string | null;
  from: string;
  upstream_id: string | null;
  request_ids: string[];
  cost: string | null;
  explanation: { cause: string; request_ids: string[] } | null;
}

interface Report {
  code: number;
  stderr: string;
  agrees: boolean;
  unexplained: number;
  cost: string;
  data: Found[];
  other_hour: { request_ids: string[] }[];
  coverage: { rows: number; requests: number; remarks: string[] };
  ledger: { ok: boolean };
}

async function reconcile(...args: string[]): Promise<Report> {
  const { code, json, stderr } = await gateway.cli('reconcile', ...args);
  assert.ok(json, stderr);
  return { code, stderr, ...(json as unknown as Omit<Report, 'code' | 'stderr'>) };
}

const listBills = (by: BilledBy): Billed[] => record.bills.filter((bill) => bill.by === by);

let files = 0;
const keep = (name: string, content: string): string => folder.write(`${(files += 1)}-${name}`, content);
const keepPages = (name: string, pages: readonly JsonObject[]): string[] =>
  pages.map((page, at) => keep(`${name}-${at}.json`, JSON.stringify(page)));

function writePages(by: BilledBy, bills: readonly Billed[]): Pages {
  return by === 'anthropic'
    ? { usage: writeAnthropicUsage(bills, span), costs: writeAnthropicCosts(bills, span) }
    : { usage: writeOpenaiUsage(bills, span), costs: writeOpenaiCosts(bills, span) };
}

const compare = (by: BilledBy, { usage, costs }: Pages): Promise<Report> =>
  reconcile(by, '--file', ...keepPages('usage', usage), ...keepPages('costs', costs));

const compareCsv = (by: BilledBy, text: string): Promise<Report> =>
  reconcile('csv', keep('requests.csv', text), '--provider', by);

async function findId(upstreamId: string): Promise<string | undefined> {
  const { rows } = await gateway.database.query<{ id: string }>({
    text: 'SELECT request_id AS id FROM request_log WHERE upstream_id = $1',
    values: [upstreamId],
  });
  return rows[0]?.id;
}

const causesOf = ({ data }: Report): (string | undefined)[] =>
  data.map(({ explanation }) => explanation?.cause).toSorted();

test('the providers’ own exports agree: what they bill beyond the books is explained by rows that prove it', async () => {
  const anthropic = listBills('anthropic');
  const byHour = await compare('anthropic', writePages('anthropic', anthropic));
  assert.deepEqual(causesOf(byHour), ['estimate', 'failed call'], JSON.stringify(byHour.data, null, 1));
  assert.deepEqual([byHour.code, byHour.agrees, byHour.ledger.ok], [0, true, true]);
  const late = anthropic.find(({ fate }) => fate === FATES.late);
  assert.deepEqual(byHour.other_hour[0]?.request_ids, [await findId(late?.id ?? '')]);
  const openai = await compare('openai', writePages('openai', listBills('openai')));
  assert.deepEqual(
    [openai.code, causesOf(openai)],
    [0, ['failed call']],
    JSON.stringify(openai.data, null, 1),
  );
  for (const by of ['anthropic', 'openai'] as const) {
    const byRequest = await compareCsv(by, writeCsv(listBills(by)));
    const causes = by === 'anthropic' ? ['estimate', 'failed call'] : ['failed call'];
    assert.deepEqual(
      [byRequest.code, causesOf(byRequest)],
      [0, causes],
      JSON.stringify(byRequest.data, null, 1),
    );
    const unanswered = listBills(by).filter(({ isWhole, fate }) => !isWhole && fate === FATES.retried).length;
    assert.equal(byRequest.coverage.requests, listBills(by).length - unanswered);
  }
});

const listUnexplained = ({ data }: Report): string[] =>
  data
    .filter(({ explanation }) => !explanation)
    .map(({ kind, from, model }) => describe(kind, new Date(from).getTime(), model ?? 'all'))
    .toSorted();

for (const by of ['anthropic', 'openai'] as const) {
  test(`ten planted faults of five kinds in ${by}’s usage and costs: ten are found, each by its kind, and none is invented`, async () => {
    const { bills, expected, twice } = plant(listBills(by));
    const pages = writePages(by, bills);
    const hours = [...new Set(bills.map(({ at }) => hourOf(at)))].toSorted((a, b) => a - b);
    const planted = [...expected, doubleResult(pages, hours[5] ?? 0), ...changeCosts(pages)].toSorted();
    assert.equal(planted.length, 10);
    const report = await compare(by, pages);
    assert.deepEqual(listUnexplained(report), planted);
    assert.deepEqual([report.code, report.agrees, report.unexplained], [1, false, 10]);
    const named = report.data.find(
      ({ kind, request_ids: ids }) => kind === 'counted twice' && ids.length > 0,
    );
    assert.deepEqual(named?.request_ids, [await findId(twice.id)], 'the row that was billed twice is named');
  });

  test(`ten planted faults of five kinds in a line per request of ${by}: ten are found, each with its upstream id`, async () => {
    const bills = listBills(by).filter(({ isWhole }) => isWhole);
    const [a, b, c, d, e, f, g, h] = [0, 4, 8, 12, 16, 18, 20, 21].map((at) => bills[at]!);
    const lines = listBills(by).flatMap((bill): Billed[] => {
      if (bill === a || bill === b) return [];
      if (bill === c || bill === d) return [bill, bill];
      if (bill === e) return [{ ...bill, input: bill.input + 1 }];
      if (bill === f) return [{ ...bill, output: bill.output - 1 }];
      if (bill === g) return [{ ...bill, cost: bill.cost * 2n }];
      return [bill === h ? { ...bill, cost: bill.cost - 1n } : bill];
    });
    const foreign = [
      { ...c!, id: 'foreign_1' },
      { ...d!, id: 'foreign_2', model: 'strange-1' },
    ];
    const report = await compareCsv(by, writeCsv([...lines, ...foreign]));
    const found = report.data.filter(({ explanation }) => !explanation);
    assert.deepEqual(
      found.map(({ kind, upstream_id: id }) => `${kind} ${id}`).toSorted(),
      [
        `missing there ${a?.id}`,
        `missing there ${b?.id}`,
        `counted twice ${c?.id}`,
        `counted twice ${d?.id}`,
        `tokens differ ${e?.id}`,
        `tokens differ ${f?.id}`,
        `cost differs ${g?.id}`,
        `cost differs ${h?.id}`,
        'missing here foreign_1',
        'missing here foreign_2',
      ].toSorted(),
    );
    const raised = found.find(({ upstream_id: id }) => id === g?.id);
    assert.equal(parseUsd(raised?.cost ?? ''), g?.cost);
  });
}

test('pages are fetched from the administration API to the last, with the key in no message', async () => {
  const asked: URL[] = [];
  const bills = listBills('anthropic');
  let pages = { usage: writeAnalytics(bills, 'usage'), cost: writeAnalytics(bills, 'cost') };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    asked.push(url);
    const isKnown = request.headers['x-api-key'] === ADMIN_KEY;
    const number = Number(url.searchParams.get('page')?.slice('page_'.length) ?? 0);
    const page = pages[url.pathname.endsWith('/cost') ? 'cost' : 'usage'][number];
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    const refusal = { error: { message: `invalid key ${String(request.headers['x-api-key'])}` } };
    response.end(JSON.stringify(isKnown ? page : refusal));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const times = span.flatMap((at, one) => [one === 0 ? '--since' : '--until', new Date(at).toISOString()]);
  const fetchWith = (key: string) =>
    runCommand(
      ['reconcile', 'anthropic', ...times, '--base-url', baseUrl, '--json', '--data-dir', gateway.dataDir],
      { DATABASE_URL: gateway.databaseUrl, ANTHROPIC_ADMIN_KEY_FILE: keep('key', key) },
    );
  const clean = await fetchWith(ADMIN_KEY);
  assert.equal(clean.code, 0, clean.stderr + clean.stdout);
  assert.deepEqual(causesOf(clean.json as unknown as Report), ['estimate', 'failed call']);
  assert.equal(asked.length, pages.usage.length + pages.cost.length);
  assert.deepEqual(asked[0]?.searchParams.getAll('group_by[]').slice(0, 2), ['model', 'service_tier']);
  const refused = await fetchWith(`${ADMIN_KEY}x`);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /status 401.*administration key/);
  assert.doesNotMatch(refused.stderr, /0123456789abcdef/);
  const [first, ...rest] = pages.usage;
  pages = { ...pages, usage: [{ ...first, next_page: null }, ...rest] };
  assert.match((await fetchWith(ADMIN_KEY)).stderr, /page 1 names no next page/);
});

test('the report on a terminal begins with the verdict and ends with the ledger', async () => {
  const { bills } = plant(listBills('anthropic'));
  const pages = writePages('anthropic', bills);
  const args = [...keepPages('usage', pages.usage), ...keepPages('costs', pages.costs)];
  const { stdout } = await runCommand(
    ['reconcile', 'anthropic', '--data-dir', gateway.dataDir, '--file', ...args],
    { DATABASE_URL: gateway.databaseUrl },
  );
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^anthropic: \d+ differences, 7 unexplained; theirs − ours: -?[\d.]+ USD/);
  assert.equal(lines.at(-1), 'ledger check: the books agree');
});
