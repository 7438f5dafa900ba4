import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { version } from '#app';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { findClosedPort } from '../../../../../test/support/mock-upstream.ts';
import { assertRevealsNothing } from '../../../../../test/support/refusal.ts';
import { SLOWNESS_MS } from '../../../../../test/support/within.ts';

const CHECKED_EVERY_MS = 1_000;
const UP = { connected: true };
const FAILED = { connected: false, error: 'connection failed' };
const SILENT = { connected: false, error: 'timed out' };

let gateway: InProcessGateway;
let withoutRedis: InProcessGateway;
before(async () => {
  const redisUrl = `redis://:secret@127.0.0.1:${await findClosedPort()}`;
  [gateway, withoutRedis] = await Promise.all([
    openInProcess(),
    openInProcess({ env: { REDIS_URL: redisUrl } }),
  ]);
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await withoutRedis[Symbol.asyncDispose]();
});
afterEach(() => {
  gateway.line.mend();
  gateway.clock.advance(CHECKED_EVERY_MS);
});

interface Health {
  status: number;
  message: string;
  redis: object;
  database: object;
}

/** Checks the answer to the last field. */
async function assertHealth(path: string, expected: Health, of = gateway): Promise<void> {
  const response = await of.request(path, { headers: { authorization: '' } });
  const text = await response.text();
  assert.equal(response.status, expected.status, text);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const { message, redis, database } = expected;
  const status = expected.status === 200 ? 'ok' : 'error';
  assert.deepEqual(JSON.parse(text), { message, version, health: { status, redis, database } });
  assertRevealsNothing(text);
}

test('200: all is well, without a key; without REDIS_URL the store in process answers', async () => {
  await assertHealth('/', { status: 200, message: 'OK', redis: UP, database: UP });
});

test('200: [D-57] HEAD has the same head and no body', async () => {
  const response = await gateway.request('/', { method: 'HEAD' });
  assert.equal(response.status, 200);
  const length = (await (await gateway.request('/')).text()).length;
  assert.equal(response.headers.get('content-length'), String(length));
  assert.equal(await response.text(), '');
});

test('200: a skipped check does not run', async () => {
  gateway.line.cut();
  const well = { status: 200, message: 'OK', redis: UP, database: UP };
  for (const skip of ['database', 'redis,database', 'database,redis', ' database , nonsense', 'x,,database'])
    await assertHealth(`/?skip=${encodeURIComponent(skip)}`, well);
  await assertHealth('/?skip=redis', well, withoutRedis);
});

test('503: the database is unavailable, with a fixed text, and for HEAD too', async () => {
  gateway.line.cut();
  const down = { status: 503, message: 'down: database', redis: UP, database: FAILED };
  await assertHealth('/', down);
  assert.equal((await gateway.request('/', { method: 'HEAD' })).status, 503);
  for (const skip of ['redis', 'Database', 'database2', 'data', 'redis;database', '']) {
    gateway.clock.advance(CHECKED_EVERY_MS);
    await assertHealth(`/?skip=${encodeURIComponent(skip)}`, down);
  }
  gateway.line.mend();
  gateway.clock.advance(CHECKED_EVERY_MS);
  await assertHealth('/', { status: 200, message: 'OK', redis: UP, database: UP });
});

test('503: a database that does not answer within two seconds', async () => {
  gateway.line.hold();
  const startedMs = performance.now();
  await assertHealth('/', { status: 503, message: 'down: database', redis: UP, database: SILENT });
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs > 1_900 && tookMs < 2_000 + SLOWNESS_MS, `${tookMs} ms`);
});

test('503: Redis is unavailable, alone and together with the database', async () => {
  const redis = FAILED;
  await assertHealth('/', { status: 503, message: 'down: redis', redis, database: UP }, withoutRedis);
  await assertHealth(
    '/?skip=database',
    { status: 503, message: 'down: redis', redis, database: UP },
    withoutRedis,
  );
  withoutRedis.line.cut();
  withoutRedis.clock.advance(CHECKED_EVERY_MS);
  const both = { status: 503, message: 'down: redis, database', redis, database: FAILED };
  await assertHealth('/', both, withoutRedis);
  withoutRedis.line.mend();
});
