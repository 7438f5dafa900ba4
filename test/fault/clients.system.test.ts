import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#base';
import type { Queryable } from '#storage';
import { formatUsd } from '#base';
import { awaitEarlier } from '../support/await-earlier.ts';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { RawClient } from '../support/raw-client.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { Truth } from '../support/upstream-exchange.ts';
import { type Reply, answer, cutAfter, hang } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS, assertWithin } from '../support/within.ts';

const PATHS = ['/v1/chat/completions', '/v1/messages'];
const CLOSE_LIMIT_MS = 100;
const ABORTS = 200;
const AT_ONCE = 20;
const SEED = Number(process.env['ABORT_SEED'] ?? 20261121);

let upstream: MockUpstream;
let gateway: Gateway;
let books: Books;

before(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}) });
  books = await openBooks(gateway.dataDir);
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const authorize = (key = gateway.apiKey) => ({ authorization: `Bearer ${key}` });

const toBody = (stream: boolean, content = 'hello') => ({
  model: 'mock-model',
  max_tokens: 64,
  stream,
  messages: [{ role: 'user', content }],
});

async function waitForAbort(truth: Truth): Promise<number> {
  await until('the provider’s connection is closed', () => truth.aborted);
  assert.ok(truth.abortedAtMs !== undefined);
  return truth.abortedAtMs;
}

async function countOpenHolds(): Promise<number> {
  const { rows } = await books.database.query<{ count: number }>({
    text: `SELECT count(*)::int AS count FROM hold`,
  });
  return rows[0]?.count ?? -1;
}

for (const path of PATHS) {
  for (const stream of [false, true]) {
    describe(`${path}, ${stream ? 'stream' : 'JSON'}`, () => {
      // A disconnecting client sends nothing but a FIN, so one that only closes its side looks the same.
      test('[C5] a client that closes its side has disconnected: the provider’s connection is closed and the row is canceled', async () => {
        upstream.clear();
        const silent = { text: 'no client waits for this', chunks: 5, how: 'silence' } as const;
        upstream.script({ reply: stream ? cutAfter(4, silent) : hang() });
        using client = await RawClient.open(gateway.url, { halfOpen: true });
        client.post(path, toBody(stream), authorize());
        await upstream.waitForRequests(1);
        const [truth] = upstream.truths;
        assert.ok(truth);
        if (stream) await client.waitFor((received) => received.includes('data: '));
        client.finish();
        await client.waitForEnd();
        await waitForAbort(truth);
        const row = await books.getRow(truth.headers['x-request-id'] ?? '');
        assert.equal(row.finishReason, 'canceled');
        assert.equal(BigInt(row.customer) > 0n, stream);
        assert.ok(BigInt(row.provider) > 0n);
      });

      test('[C1] a client disconnects before the first byte: the provider’s connection is closed, and the row is canceled at cost 0', async () => {
        await assertWithin(CLOSE_LIMIT_MS, async () => {
          upstream.clear();
          upstream.script({ reply: hang() });
          using client = await RawClient.open(gateway.url);
          client.post(path, toBody(stream), authorize());
          await upstream.waitForRequests(1);
          const [truth] = upstream.truths;
          assert.ok(truth);
          const leftAtMs = performance.now();
          client.reset();
          const abortedAtMs = await waitForAbort(truth);
          const row = await books.getRow(truth.headers['x-request-id'] ?? '');
          assert.equal(row.finishReason, 'canceled');
          assert.equal(row.customer, '0');
          assert.ok(BigInt(row.provider) > 0n, 'the operator’s cost is booked');
          return abortedAtMs - leftAtMs;
        });
      });
    });
  }
}

/** How many statements wait for a lock. */
async function countWaiting(session: Queryable): Promise<number> {
  const { rows } = await session.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted',
  });
  return rows[0]?.count ?? 0;
}

test('[C1] a client that disconnects while its key is being looked up leaves one row at once, and nothing open', async () => {
  upstream.clear();
  const { id, apiKey } = await gateway.createKey();
  await books.database.transaction(async (session) => {
    await session.query({ text: 'LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE' });
    using client = await RawClient.open(gateway.url);
    client.post(PATHS[0] ?? '', toBody(false), authorize(apiKey));
    await until('its key is being looked up', async () => (await countWaiting(session)) > 0);
    client.reset();
    // By the second answer the gateway has noticed that this client has disconnected.
    await awaitEarlier(gateway);
  });
  const readEndings = async (): Promise<string[]> => {
    const text = 'SELECT finish_reason AS ending FROM request_log WHERE key_id = $1';
    const { rows } = await books.database.query<{ ending: string }>({ text, values: [id] });
    return rows.map(({ ending }) => ending);
  };
  await until('the row is written', async () => (await readEndings()).length > 0);
  assert.deepEqual(await readEndings(), ['canceled']);
  assert.equal(upstream.truths.length, 0);
});

const TEXT = { text: 'a b c d e f g h i j', chunks: 10 };
const PACE_MS = 12;
/** About as long as a whole answer takes. */
const MOST_MS = 150;

/** When a client disconnects: when this many events have come and no more will come, or after a time, whatever has come by then. */
type Moment = { step: number } | { afterMs: number };

/** A provider that halts at the step at which a client disconnects. */
class HaltingProvider {
  readonly #moments: readonly Moment[];
  readonly #reached: readonly PromiseWithResolvers<undefined>[];

  constructor(moments: readonly Moment[]) {
    this.#moments = moments;
    this.#reached = moments.map(() => Promise.withResolvers<undefined>());
  }

  readonly reply: Reply = async (exchange) => {
    const number = numberOf(exchange.truth);
    const moment = this.#moments[number];
    if (!moment || 'afterMs' in moment) return answer(TEXT, PACE_MS)(exchange);
    const reply = exchange.truth.stream ? cutAfter(moment.step, { ...TEXT, how: 'silence' }) : hang();
    await reply(exchange);
    this.#reached[number]?.resolve(undefined);
  };

  /** Resolves at the moment at which a client disconnects. */
  async waitFor(number: number): Promise<void> {
    const moment = this.#moments[number];
    if (moment && 'afterMs' in moment) await sleep(moment.afterMs);
    else await this.#reached[number]?.promise;
  }
}

const numberOf = ({ rawBody }: Truth): number => Number(/client (\d+)\./.exec(rawBody)?.[1]);

/** Every other moment is a step, so that as many answers are cut in the middle. */
function createMoments(): Moment[] {
  const random = createSeededRandom(SEED);
  return Array.from({ length: ABORTS }, (_, number) =>
    number % 2 === 0 ? { step: 1 + Math.floor(random() * 10) } : { afterMs: random() * MOST_MS },
  );
}

test(`${ABORTS} clients that disconnect at any moment: every provider’s connection is closed, every request has one row, no hold stays`, async (t) => {
  const provider = new HaltingProvider(createMoments());
  upstream.clear();
  upstream.script({ reply: provider.reply });
  const { id, apiKey } = await gateway.createKey('--limit', '100');
  const leftAtMs: number[] = [];
  const numbers = Array.from({ length: ABORTS }, (_, number) => number).values();
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      const client = await RawClient.open(gateway.url);
      client.post(PATHS[number % 2] ?? '', toBody(number % 3 > 0, `client ${number}.`), authorize(apiKey));
      await provider.waitFor(number);
      leftAtMs[number] = performance.now();
      if (number % 4 < 2) client.reset();
      else client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // An answer whose client disconnected at its very end may still be completed.
  await until('every answer is completed or cut', () =>
    upstream.truths.every(({ completed, aborted }) => completed || aborted),
  );
  const cut = upstream.truths.filter(({ completed }) => !completed);
  await until('no hold is open', async () => (await countOpenHolds()) === 0);
  const { json } = await gateway.cli('logs', '--key', id, '--limit', String(2 * ABORTS));
  assertRows(json?.['data'] as unknown as JsonObject[]);
  const slowestMs = Math.max(
    ...cut.map((truth) => (truth.abortedAtMs ?? 0) - (leftAtMs[numberOf(truth)] ?? 0)),
  );
  t.diagnostic(
    `${cut.length} of ${upstream.truths.length} cut, the slowest after ${Math.round(slowestMs)} ms`,
  );
  assert.ok(cut.length >= ABORTS / 2, 'as many as leave at a step');
});

/** Every request that reached the provider has one row; what was not relayed was not paid. */
function assertRows(rows: readonly JsonObject[]): void {
  const byId = new Map(rows.map((row) => [row['id'], row]));
  assert.equal(byId.size, rows.length);
  assert.ok(rows.length <= ABORTS);
  for (const truth of upstream.truths) {
    const row = byId.get(truth.headers['x-request-id'] ?? '');
    assert.ok(row, `a row for the request ${truth.number} of the provider`);
    const most = BigInt(truth.inputTokens) * 3_000_000n + BigInt(truth.outputTokens) * 15_000_000n;
    if (row['finish_reason'] === 'completed') assert.equal(row['cost'], formatUsd(most));
    else if (row['stream'] === false || truth.chunksSent === 0)
      assert.equal(row['cost'], '0', JSON.stringify(row));
    else assert.equal(row['finish_reason'], 'canceled');
  }
}

test('[C6] slow headers are answered with 408 or closed after 10 s, and no other client waits', async () => {
  upstream.clear();
  const startedMs = performance.now();
  const drippers = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(gateway.url)));
  const request = `POST ${PATHS[0]} HTTP/1.1\r\nhost: localhost\r\nx-slow: ${'y'.repeat(1_000)}`;
  const dripping = drippers.map((client) => client.drip(request, 200));
  while (performance.now() - startedMs < 7_000) {
    const askedMs = performance.now();
    const response = await gateway.post(PATHS[0] ?? '', toBody(false));
    assert.equal(response.status, 200, await response.text());
    assert.ok(performance.now() - askedMs < SLOWNESS_MS);
    await sleep(500);
  }
  const areOpen = drippers.every(({ ended }) => !ended);
  // On a slow machine they may be due by now.
  assert.ok(areOpen || performance.now() - startedMs > 9_000, 'not before their time');
  for (const client of drippers) {
    assert.match(await client.waitForEnd(), /^(HTTP\/1\.1 408 Request Timeout\r\n.*request_timeout.*)?$/s);
  }
  assert.ok(performance.now() - startedMs < 13_000 + 4 * SLOWNESS_MS);
  await Promise.all(dripping);
});

test('[C8] bytes after a refused request are never parsed as another request', async () => {
  const smuggled = 'GET /v1/key HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const refusals: [status: number, head: string][] = [
    [401, `authorization: Bearer slc_wrong\r\ncontent-length: 100000`],
    [415, `authorization: Bearer ${gateway.apiKey}\r\ncontent-type: text/plain\r\ncontent-length: 100000`],
  ];
  for (const [status, head] of refusals) {
    using client = await RawClient.open(gateway.url);
    client.send(`POST ${PATHS[0]} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n${smuggled}`);
    assert.equal((await client.readResponse()).status, status);
    client.send(smuggled.repeat(3));
    await client.waitForEnd();
    assert.equal(client.received.split('HTTP/1.1 ').length, 2, client.received);
  }
});

test('[C11] bytes that are no request get a plain refusal', async () => {
  const table: [bytes: string, status: number][] = [
    ['hello\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'y'.repeat(70_000)}\r\n\r\n`, 431],
    ['POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 400],
    ['TRACE /v1/messages HTTP/1.1\r\nhost: localhost\r\n\r\n', 405],
    ['GET http://elsewhere/v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  ];
  for (const [bytes, status] of table) {
    using client = await RawClient.open(gateway.url);
    client.send(bytes);
    const response = await client.readResponse();
    assert.equal(response.status, status, bytes.slice(0, 60));
    assert.match(response.body, /^\{"error":|^\{"type":"error"/);
  }
});

test('afterwards the gateway is healthy and the ledger consistent', async () => {
  assert.equal((await gateway.request('/readyz')).status, 200);
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
