import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatUsd, parseUsd } from '#base';
import type { EmbeddedServer } from '#storage';
import { openPatiently } from '../support/open-patiently.ts';
import { type TestServers, createTestServers } from '../support/embedded-server.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { answer, haltedAnswer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS } from '../support/within.ts';
import { sendPatiently } from '../support/send-patiently.ts';
import { toUrl } from '../support/external-server.ts';
import { UNTIL_DOWN } from '../support/process-environment.ts';
import { listServerProcesses } from '../support/server-processes.ts';

const CHAT = '/v1/chat/completions';
const MAX_TOKENS = 100;
const BODY = {
  model: 'mock-model',
  max_tokens: MAX_TOKENS,
  messages: [{ role: 'user', content: 'spend it' }],
};
const SECRET = randomBytes(32).toString('hex');
const EXTERNAL = process.env['SLUICE_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres';

let upstream: MockUpstream;
let config: string;

before(async () => {
  upstream = await startMockUpstream();
  config = createProviderConfig(upstream.baseUrl, {});
});

after(() => upstream.close());

const toBearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function findSkip(): Promise<string | false> {
  const database = openPatiently({ connection: { url: EXTERNAL }, applicationName: 'sluice test' });
  try {
    await database.ping(10_000); // a busy machine must not leave the tests out
    return false;
  } catch {
    return 'no PostgreSQL answers at SLUICE_TEST_DATABASE_URL or 127.0.0.1:5432';
  } finally {
    await database.close();
  }
}

describe('two gateways on one PostgreSQL', { skip: await findSkip() }, () => {
  const name = `sluice_stores_${randomBytes(6).toString('hex')}`;
  const opened = new AsyncDisposableStack();
  let gateways: [Gateway, Gateway];
  let key: string;

  before(async () => {
    const admin = openPatiently({ connection: { url: EXTERNAL }, applicationName: 'sluice test' });
    opened.defer(() => admin.close());
    await admin.query({ text: `CREATE DATABASE ${name}` });
    opened.defer(async () => {
      await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
    });
    const env = {
      DATABASE_URL: Object.assign(new URL(EXTERNAL), { pathname: `/${name}` }).href,
      SLUICE_SECRET: SECRET,
      SLUICE_LEASES: 'on',
    };
    const first = opened.use(await startGateway({ config, env }));
    gateways = [first, opened.use(await startGateway({ config, env }))];
    key = first.apiKey;
  });

  after(() => opened.disposeAsync());

  const readUsed = async (apiKey: string): Promise<bigint[]> =>
    Promise.all(
      gateways.map(async (gateway) => {
        const response = await gateway.request('/v1/key', { headers: toBearer(apiKey) });
        const { data } = (await response.json()) as { data: { usage: string } };
        return parseUsd(data.usage) ?? -1n;
      }),
    );

  test('two gateways share one installation: the first key works on both, and the second start prints none', async () => {
    upstream.clear();
    assert.equal(gateways[1].line.api_key, undefined);
    assert.equal(gateways[1].line.project_id, gateways[0].line.project_id);
    for (const gateway of gateways) {
      const response = await gateway.post(CHAT, BODY, toBearer(key));
      assert.equal(response.status, 200, await response.text());
    }
    const [one, two] = await readUsed(key);
    assert.equal(one, two);
    assert.ok((one ?? 0n) > 0n);
  });

  test('a key created by one works at the other immediately; disabled at one, it is refused by the other within 1 s', async () => {
    const { id, authorization } = await gateways[0].createKey();
    const ask = async (): Promise<number[]> =>
      Promise.all(
        gateways.map(async (gateway) => {
          const response = await gateway.post(CHAT, BODY, { authorization });
          await response.arrayBuffer();
          return response.status;
        }),
      );
    assert.deepEqual(await ask(), [200, 200]);
    const disabled = await gateways[0].cli('keys', 'disable', id);
    assert.equal(disabled.code, 0, disabled.stderr);
    const disabledMs = performance.now();
    await until('both refuse it', async () => !(await ask()).includes(200));
    assert.ok(performance.now() - disabledMs < 1_000 + SLOWNESS_MS);
    assert.deepEqual(await ask(), [401, 401]);
    await gateways[1].cli('keys', 'enable', id);
    await until('both let it in', async () => (await ask()).join() === '200,200');
  });

  test('64 clients over both on the last cent of one key: what is affordable is served, never more', async () => {
    const affordable = 20;
    const input = Buffer.byteLength(JSON.stringify(BODY)) + 64;
    const worst = BigInt(input) * 6_000_000n + BigInt(MAX_TOKENS) * 15_000_000n; // a cache write for an hour is the most expensive
    upstream.clear();
    const usage = { prompt_tokens: input, completion_tokens: MAX_TOKENS, total_tokens: input + MAX_TOKENS };
    upstream.script({ reply: answer({ text: 'spent', usage }, 5) });
    const cost = BigInt(input) * 3_000_000n + BigInt(MAX_TOKENS) * 15_000_000n;
    const limit = cost * BigInt(affordable - 1) + worst;
    const { apiKey } = await gateways[0].createKey('--limit', formatUsd(limit));
    const send = async (_: unknown, number: number): Promise<number> => {
      const gateway = gateways[number % 2] ?? gateways[0];
      const response = await sendPatiently(() => gateway.post(CHAT, BODY, toBearer(apiKey)));
      await response.arrayBuffer();
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: 64 }, send));
    const served = statuses.filter((status) => status === 200).length;
    assert.ok(
      statuses.every((status) => status === 200 || status === 402),
      statuses.join(),
    );
    assert.equal(upstream.truths.length, served);
    assert.deepEqual(await readUsed(apiKey), [cost * BigInt(served), cost * BigInt(served)]);
    assert.ok(cost * BigInt(served) <= limit, 'never over');
    assert.equal(served, affordable);
  });

  test('both keep their books in one place, and they agree', async () => {
    for (const gateway of gateways) {
      const { code, stdout, stderr } = await gateway.cli('ledger', 'check');
      assert.equal(code, 0, stdout + stderr);
    }
  });
});

describe('a database that becomes unavailable', () => {
  const opened = new AsyncDisposableStack();
  let servers: TestServers;
  let directory: string;
  let server: EmbeddedServer;
  let gateway: Gateway;
  /** A valid key that the gateway has never seen. */
  let unseen: { authorization: string };

  before(async () => {
    servers = opened.use(createTestServers());
    directory = join(servers.folder, 'data');
    server = await servers.start(directory);
    gateway = opened.use(
      await startGateway({
        config,
        env: { ...UNTIL_DOWN, DATABASE_URL: toUrl(server), SLUICE_SECRET: SECRET },
      }),
    );
    const { authorization } = await gateway.createKey();
    unseen = { authorization };
  });

  after(() => opened.disposeAsync());

  /** Asserts how each part answers while the database is down, and how long it takes. */
  async function assertDown(error: string): Promise<void> {
    const timed = async (path: string, body?: unknown, headers?: typeof unseen): Promise<Response> => {
      const startedMs = performance.now();
      const response = await (body === undefined ? gateway.request(path) : gateway.post(path, body, headers));
      const tookMs = performance.now() - startedMs;
      assert.ok(tookMs < 2_000 + SLOWNESS_MS, `${path} took ${Math.round(tookMs)} ms`);
      return response;
    };
    const [chat, messages, stranger, key, models, health, live, ready] = await Promise.all([
      timed(CHAT, BODY),
      timed('/v1/messages', BODY),
      timed(CHAT, BODY, unseen),
      timed('/v1/key'),
      timed('/v1/models'),
      timed('/'),
      timed('/livez'),
      timed('/readyz'),
    ]);
    for (const response of [chat, messages, stranger, key]) {
      assert.equal(response.status, 503);
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.match(await response.text(), /database|store/i);
    }
    assert.equal(models.status, 200);
    assert.equal(live.status, 200);
    assert.equal(ready.status, 503);
    assert.equal(health.status, 503);
    const reported = (await health.json()) as { message: string; health: Record<string, unknown> };
    assert.equal(reported.message, 'down: database');
    assert.equal(reported.health['status'], 'error');
    assert.deepEqual(reported.health['redis'], { connected: true });
    assert.deepEqual(reported.health['database'], { connected: false, error });
  }

  /** Milliseconds until requests are served again. */
  async function waitForRecovery(): Promise<number> {
    const startedMs = performance.now();
    while (performance.now() - startedMs < 60_000) {
      const response = await gateway.post(CHAT, BODY);
      await response.arrayBuffer();
      if (response.status === 200) return performance.now() - startedMs;
      assert.equal(response.status, 503);
      await sleep(20);
    }
    return assert.fail('not within a minute');
  }

  /** Read while the database is down: the end must not wait for it. */
  async function assertWhole(stream: Response): Promise<void> {
    assert.match(await stream.text(), /\[DONE\]/, 'an open stream is not cut by an outage');
    const { json } = await gateway.cli('doctor');
    const findings = (json?.['findings'] ?? []) as { name: string; state: string; message: string }[];
    const journal = findings.find(({ name }) => name === 'journal');
    assert.equal(journal?.state, 'warning');
    // A file with records that are already written may still be there.
    assert.match(journal.message, /^[1-9]\d* settlements? waits? in .*journal/);
  }

  async function assertWell(stream: Response): Promise<void> {
    const requestId = stream.headers.get('x-request-id') ?? '';
    // The journal is written soon after the database is back, not before the first request.
    let check = await gateway.cli('ledger', 'check');
    await until('nothing waits', async () => {
      check = await gateway.cli('ledger', 'check');
      return check.json?.['waiting'] === 0;
    });
    assert.deepEqual(
      check.json,
      { object: 'ledger_check', ok: true, differences: [], waiting: 0, lost: '0' },
      check.stdout + check.stderr,
    );
    const { json } = await gateway.cli('logs', '--request', requestId);
    assert.deepEqual([json?.['finish_reason'], json?.['estimated']], ['completed', false]);
    await until('the gateway is ready', async () => (await gateway.request('/')).status === 200);
  }

  /** Until then it forgets, at some moment, which keys it knows: changes of them may have been missed. */
  async function waitUntilItListens(): Promise<void> {
    const { id, authorization } = await gateway.createKey();
    await (await gateway.post(CHAT, BODY, { authorization })).arrayBuffer();
    await gateway.run('keys', 'disable', id);
    await until('the change of a key is noticed', async () => {
      const response = await gateway.post(CHAT, BODY, { authorization });
      await response.arrayBuffer();
      return response.status === 401;
    });
  }

  /** A stream that halts after its first words until it is released. */
  async function openStream(): Promise<{ stream: Response; release(): void }> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    upstream.clear();
    upstream.script({ reply: answer({ text: 'fine' }) });
    upstream.script({
      match: { marker: 'slowly' },
      reply: haltedAnswer(promise, { text: 'w '.repeat(20), chunks: 20 }),
    });
    const messages = [{ role: 'user', content: 'slowly' }];
    const stream = await gateway.post(CHAT, { ...BODY, stream: true, messages });
    assert.equal(stream.status, 200);
    return { stream, release: () => resolve(undefined) };
  }

  test('[D1] stopped: 503 with retry-after, while models and liveness answer and health reports it; it recovers by itself', async () => {
    const { stream, release } = await openStream();
    const truths = upstream.truths.length;
    await server.stop();
    try {
      await sleep(1_100); // the health check is cached for a second
      await assertDown('connection failed');
      release();
      await assertWhole(stream);
    } finally {
      server = await servers.start(directory); // later tests need it, whatever this one found
    }
    assert.equal(upstream.truths.length, truths, 'nothing was sent to the provider meanwhile');
    const tookMs = await waitForRecovery();
    assert.ok(tookMs < 2_000 + SLOWNESS_MS, `${Math.round(tookMs)} ms`);
    await assertWell(stream);
  });

  const needsProcesses = existsSync('/proc/self/stat') ? false : 'processes are found in /proc';

  test(
    '[D7] frozen: 503 with retry-after too, and it recovers when the server resumes',
    { skip: needsProcesses },
    async () => {
      await waitUntilItListens();
      const { stream, release } = await openStream();
      const pids = listServerProcesses(directory);
      assert.ok(pids.length > 3);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      try {
        await sleep(1_100);
        await assertDown('timed out');
        release();
        await assertWhole(stream);
      } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
      }
      const tookMs = await waitForRecovery();
      assert.ok(tookMs < 2_000 + SLOWNESS_MS, `${Math.round(tookMs)} ms`);
      await assertWell(stream);
    },
  );
});
