import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { request } from 'node:http';
import { once } from 'node:events';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, fail, haltedAnswer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const COST = 'sluice.cost.customer_picousd';

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;
let collector: OtlpReceiver;
let url: URL;

before(async () => {
  providers = await TwoProviders.start();
  collector = await OtlpReceiver.start();
  gateway = await startGateway({
    config: `${providers.config}\ntelemetry: { otlp: { propagate: true } }\nmetrics: { adminKey: true }\n`,
    env: {
      SLUICE_METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20c2VjcmV0',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  books = await openBooks(gateway.dataDir);
  url = new URL(gateway.line.metrics_url ?? assert.fail('the gateway announces where its metrics are'));
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

const ask = async (model: string, stream: boolean, headers: Record<string, string> = {}): Promise<void> => {
  const body = { model, max_tokens: 64, stream, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body, headers);
  await response.text();
};

test('a scrape sees every request, call and failure once, and the cost that the ledger has', async () => {
  const model = providers.takeShared();
  providers.script(answer({ text: 'one two three', chunks: 3 }));
  for (const stream of [false, true, true]) await ask(model, stream);
  providers.script(fail(500, 'api_error'));
  await ask(providers.takeShared(), false);
  await ask('no-such-model', false);
  const samples = await scrape();
  const { rows } = await books.database.query<{ status: number; count: bigint }>({
    text: `SELECT status, count(*) AS count FROM request_log GROUP BY status`,
  });
  assert.ok(rows.length >= 2);
  for (const { status, count } of rows)
    assert.equal(
      samples.get(`sluice_requests_total{endpoint="/v1/chat/completions",status="${status}"}`),
      Number(count),
      `status ${status}`,
    );
  const sumOf = (...parts: string[]): number =>
    [...samples].reduce(
      (sum, [name, value]) => (parts.every((part) => name.includes(part)) ? sum + value : sum),
      0,
    );
  assert.equal(sumOf('sluice_attempts_total{provider="first"', 'outcome="answered"'), 3);
  assert.equal(sumOf('sluice_attempts_total{provider="first"', 'outcome="broken"'), 1);
  assert.equal(sumOf('sluice_fallbacks_total{provider="first"'), 1);
  assert.equal(samples.get('sluice_errors_total{code="model_not_found"}'), 1);
  assert.equal(samples.get(`sluice_time_to_first_event_seconds_count{provider="first",model="${model}"}`), 3);
  const { rows: sums } = await books.database.query<{ cost: string }>({
    text: `SELECT sum(customer_cost)::text AS cost FROM request_log`,
  });
  const paid = [...samples]
    .filter(([name]) => name.startsWith('sluice_cost_usd_total') && name.includes('payer="customer"'))
    .reduce((sum, [, value]) => sum + BigInt(Math.round(value * 1e12)), 0n);
  assert.equal(paid.toString(), sums[0]?.cost);
});

test('the state of the process is read at each scrape', async () => {
  const samples = await scrape();
  assert.equal(samples.get('sluice_open_requests'), 0);
  assert.equal(samples.get('sluice_unwritten_settlements'), 0);
  assert.equal(samples.get('sluice_traced_requests_total{result="dropped"}'), 0);
  assert.ok((samples.get('sluice_database_connections{state="idle"}') ?? 0) > 0);
  assert.ok((samples.get('sluice_provider_models{provider="second",state="healthy"}') ?? 0) > 0);
  assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 0);
  assert.ok([...samples.keys()].some((name) => name.startsWith('nodejs_eventloop_lag_seconds')));
});

test('open streams are counted until they end or their clients disconnect', async () => {
  const isOpen = (count: number) =>
    until(`${count} open streams`, async () => (await scrape()).get('sluice_open_streams') === count);
  const rest = Promise.withResolvers<undefined>();
  providers.script(haltedAnswer(rest.promise));
  const model = providers.takeShared();
  const leaving = new AbortController();
  const open = async (signal?: AbortSignal): Promise<Response> => {
    const body = { model, max_tokens: 64, stream: true, messages: [{ role: 'user', content: 'hello' }] };
    return gateway.request('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      ...(signal && { signal }),
    });
  };
  const stays = await open();
  await open(leaving.signal);
  await isOpen(2);
  leaving.abort();
  await isOpen(1);
  rest.resolve(undefined);
  await stays.text();
  await isOpen(0);
});

test('the gateway has the same metrics on its own port, for admin keys only', async () => {
  const get = (key: string) =>
    fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const text = await (await get(gateway.adminKey)).text();
  const names = (printed: string) => [...printed.matchAll(/^# TYPE (sluice_\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names(text), names(await (await fetch(url)).text()));
  assert.equal((await fetch(`${gateway.url}/metrics`)).status, 401);
  assert.equal((await get(gateway.apiKey)).status, 403);
});

test('keys and organizations are in no label, other paths and foreign hosts get nothing', async () => {
  const text = await (await fetch(url)).text();
  assert.ok(!text.includes(gateway.line.organization_id));
  assert.ok(!/key_[a-z0-9]/i.test(text));
  assert.equal((await fetch(new URL('/', url))).status, 404);
  const asked = request(url, { headers: { host: 'rebound.example' } }).end();
  const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  assert.equal(response.statusCode, 421);
});

test('the guide lists the metrics that there are; the alert rules and the dashboard use no others, and the dashboard all', async () => {
  const text = await (await fetch(url)).text();
  const served = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
  const own = [...served].filter((name) => name.startsWith('sluice_'));
  const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const listed = [...read('docs/observability.md').matchAll(/^\| `(sluice_\w+)`/gm)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(listed.toSorted(), own.toSorted());
  const findUsed = (path: string): string[] =>
    [...read(path).matchAll(/\b((?:sluice|nodejs|process)_\w+)/g)].map(([, name = '']) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    );
  const shown = findUsed('deploy/grafana/sluice.json');
  const used = [...findUsed('deploy/prometheus/rules.yaml'), ...shown];
  assert.deepEqual(
    used.filter((name) => !served.has(name)),
    [],
  );
  assert.deepEqual(
    own.filter((name) => !shown.includes(name)),
    [],
  );
});

test('a request continues the trace of its caller, and its call is named to the provider', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  providers.script(answer({ text: 'one two', chunks: 2 }));
  await ask(providers.takeShared(), true, { traceparent, tracestate: 'vendor=x' });
  const seen = (): ReceivedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  await until('the spans of the trace', () => seen().length >= 2);
  const [request, call] = seen();
  assert.ok(request && call);
  assert.equal(request.parentSpanId, 'b7ad6b7169203331');
  assert.equal(request.traceState, 'vendor=x');
  assert.equal(call.parentSpanId, request.spanId);
  const { headers } = providers.first.truths.at(-1) ?? assert.fail('the provider was called');
  assert.equal(headers['traceparent'], `00-${traceId}-${call.spanId}-01`);
  assert.equal(headers['tracestate'], undefined, 'other systems’ state stays here');
});

test('a collector has every request and call of a run exactly once, with the ledger’s cost, also those before a stop', async () => {
  providers.script(answer({ text: 'one two three', chunks: 3 }));
  const model = providers.takeShared();
  await Promise.all(Array.from({ length: 20 }, (_, at) => ask(model, at % 2 === 0)));
  const { rows } = await books.database.query<{
    id: string;
    cost: string;
    calls: number;
    code: string | null;
  }>({
    text: `SELECT request_id AS id, customer_cost::text AS cost, jsonb_array_length(attempts) AS calls, error_code AS code
             FROM request_log`,
  });
  await gateway.stop();
  const { requests, attempts, spans } = collector;
  const ids = requests.map(({ attributes }) => attributes['sluice.request.id'] as string);
  assert.deepEqual(ids.toSorted(), rows.map(({ id }) => id).toSorted());
  assert.equal(
    attempts.length,
    rows.reduce((sum, { calls }) => sum + calls, 0),
  );
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  const cost = requests.reduce((sum, { attributes }) => sum + (attributes[COST] as bigint), 0n);
  assert.equal(
    cost,
    rows.reduce((sum, row) => sum + BigInt(row.cost), 0n),
  );
  const { metrics } = collector;
  const counted = metrics.get('sluice.requests')?.points.reduce((sum, { value = 0 }) => sum + value, 0);
  assert.equal(counted, rows.length, 'the last metrics are sent at the end');
  assert.equal(metrics.get('sluice.request_duration')?.unit, 's');
  const durations = metrics.get('sluice.request_duration')?.points ?? [];
  assert.equal(
    durations.reduce((sum, { count = 0 }) => sum + count, 0),
    rows.length,
  );
  for (const { buckets = [], count } of durations)
    assert.equal(
      buckets.reduce((sum, one) => sum + one, 0),
      count,
    );
  assert.equal(metrics.get('sluice.database_connections')?.kind, 'gauge');
  const [memory] = metrics.get('process.memory.usage')?.points ?? [];
  assert.ok((memory?.value ?? 0) > 10_000_000, 'bytes of resident memory');
  const processor = metrics.get('process.cpu.time')?.points ?? [];
  assert.deepEqual(processor.map(({ labels }) => labels['cpu.mode']).toSorted(), ['system', 'user']);
  const [delay] = metrics.get('nodejs.eventloop.delay.max')?.points ?? [];
  assert.ok((delay?.value ?? 0) > 0, 'the delay of the event loop');
  const usd = metrics.get('sluice.cost')?.points.filter(({ labels }) => labels['payer'] === 'customer') ?? [];
  assert.equal(
    usd.reduce((sum, { value = 0 }) => sum + BigInt(Math.round(value * 1e12)), 0n),
    cost,
  );
  const failed = requests.filter(({ attributes }) => 'error.type' in attributes);
  assert.equal(failed.length, rows.filter(({ code }) => code !== null).length);
  assert.ok(attempts.some(({ attributes }) => attributes['error.type'] === 'broken'));
  assert.ok(attempts.some(({ attributes }) => attributes['gen_ai.request.stream'] === true));
  assert.equal(collector.headers[0]?.['authorization'], 'Basic c2VjcmV0');
  const text = JSON.stringify(spans, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  for (const secret of [gateway.apiKey, 'first-key', 'second-key', 'c2VjcmV0', 'hello'])
    assert.ok(!text.includes(secret), secret);
  assert.match(text, /"deployment.environment.name":"test"/);
});
