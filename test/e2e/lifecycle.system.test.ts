import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitEarlier } from '../support/await-earlier.ts';
import { needsRoot } from '../support/embedded-server.ts';
import { spawnCommand } from '../support/command-line.ts';
import { type Gateway, type GatewayOptions, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { stopOrphanDatabase } from '../support/orphan-database.ts';
import { RawClient } from '../support/raw-client.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer, haltedAnswer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS, assertWithin } from '../support/within.ts';
import { readPostmasterPid } from '../support/server-processes.ts';

const CHAT = '/v1/chat/completions';
/** How long a gateway waits for open requests by default. */
const DRAIN_MS = 30_000;
const NOBODY = { uid: 65_534, gid: 65_534 };
const hello = (model = 'mock-model') => ({ model, messages: [{ role: 'user', content: 'hello' }] });

let upstream: MockUpstream;
let folder: TemporaryFolder;
let dataDir: string;
let config: string;
/** Created at the first start; every later start of the data directory must accept it. */
let key = '';
/** Gateways of the current test, stopped even if it fails, so that the next finds the data directory free. */
const started: Gateway[] = [];

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'fine' }) });
  folder = createTemporaryFolder('sluice-life-');
  dataDir = `${folder.path}/data`;
  config = createProviderConfig(upstream.baseUrl, {});
});

afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.kill();
});

after(async () => {
  await stopOrphanDatabase(dataDir);
  folder.remove();
  await upstream.close();
});

async function start(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await startGateway({ config, dataDir, ...options });
  started.push(gateway);
  if (options.dataDir === undefined && key !== '') gateway.line.api_key = key;
  return gateway;
}

interface OpenStream {
  response: Response;
  /** Lets the provider go on to the end. */
  release(): void;
}

/** A stream that halts after its first words until it is released. */
async function openStream(
  gateway: Gateway,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  upstream.script({
    match: { marker: 'slowly' },
    reply: haltedAnswer(promise, { text: 'w '.repeat(50), chunks: 50 }),
  });
  const messages = [{ role: 'user', content: 'slowly' }];
  const response = await gateway.post(CHAT, { ...hello(), ...body, stream: true, messages }, headers);
  assert.equal(response.status, 200);
  return { response, release: () => resolve(undefined) };
}

const waitForJournal = (gateway: Gateway): Promise<void> =>
  until('no settlement waits in the journal', async () => {
    const { json } = await gateway.cli('ledger', 'check');
    return json?.['waiting'] === 0;
  });

async function assertBooksAgree(gateway: Gateway): Promise<void> {
  const { code, stdout, stderr } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout + stderr);
}

test('the first start prints its keys in one line of JSON; the second prints none and accepts them', async () => {
  const first = await start();
  assert.deepEqual(Object.keys(first.line).sort(), [
    'admin_key',
    'api_key',
    'data_dir',
    'organization_id',
    'project_id',
    'url',
  ]);
  key = first.apiKey;
  assert.equal((await first.post(CHAT, hello())).status, 200);
  assert.equal(await first.stop(), 0);
  const second = await startGateway({ config, dataDir });
  started.push(second);
  assert.deepEqual(Object.keys(second.line).sort(), ['data_dir', 'organization_id', 'project_id', 'url']);
  assert.equal(second.line.project_id, first.line.project_id);
  const response = await second.post(CHAT, hello(), { authorization: `Bearer ${key}` });
  assert.equal(response.status, 200, await response.text());
  assert.equal(await second.stop(), 0);
});

test('SIGTERM: readiness fails, then the port closes, the open stream ends well, and the exit code is 0', async () => {
  await using gateway = await start({ config: `server: { readyDelaySeconds: 3 }\n${config}` });
  const { response, release } = await openStream(gateway);
  using silent = await RawClient.open(gateway.url);
  using kept = await RawClient.open(gateway.url);
  kept.send('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
  assert.equal((await kept.readResponse()).status, 200);
  const stopped = gateway.stop();
  const seen: string[] = [];
  while (seen.at(-1) !== 'refused') {
    const ready = await gateway.request('/readyz').catch(() => undefined);
    seen.push(ready ? `${ready.status} ${await ready.text()}` : 'refused');
    await sleep(50);
  }
  assert.equal(seen.at(-2), '503 {"status":"draining"}');
  release();
  assert.match(await response.text(), /\[DONE\]/);
  const endedMs = performance.now();
  assert.equal(await stopped, 0);
  assert.ok(performance.now() - endedMs < DRAIN_MS / 2, 'silent connections do not delay it');
  assert.ok(kept.ended && silent.ended);
});

test('SIGTERM: a request that waits for a hold gets a retryable error immediately', async () => {
  await using gateway = await start();
  const { authorization } = await gateway.createKey('--limit', '0.018');
  // Its first slice holds most of the limit until it is released.
  const { response, release } = await openStream(gateway, { max_tokens: 25_000 }, { authorization });
  const waiting = gateway.post(CHAT, { ...hello(), stream: true, max_tokens: 25_000 }, { authorization });
  await sleep(300); // nothing outside shows that it waits; a request that comes late is refused as well
  await awaitEarlier(gateway); // it has come by now
  const stopped = gateway.stop();
  const refused = await waiting;
  assert.equal(refused.status, 503, await refused.text());
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  release(); // only now: the refusal waited for nothing
  assert.match(await response.text(), /\[DONE\]/);
  assert.equal(await stopped, 0);
});

test('a second signal ends the process at once; the cut request is settled at the next start', async () => {
  const gateway = await start();
  const { response } = await openStream(gateway);
  gateway.process.kill('SIGTERM');
  await until('it is stopping', () => gateway.log.includes('stopping'));
  await sleep(400); // an earlier edit counts as an echo of the first
  const exited = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  assert.deepEqual(await exited, [130, null]);
  await assert.rejects(response.text());
  await using next = await start();
  const { json } = await next.cli('logs', '--request', response.headers.get('x-request-id') ?? '');
  assert.equal(json?.['finish_reason'], 'gateway_error');
  assert.equal(json['estimated'], true);
  await assertBooksAgree(next);
});

/** Starts a gateway and sends it a request; returns how long it took until the answer. */
async function startTimed(): Promise<{ gateway: Gateway; tookMs: number }> {
  const startedMs = performance.now();
  const gateway = await start();
  const response = await gateway.post(CHAT, hello());
  const tookMs = performance.now() - startedMs;
  assert.equal(response.status, 200, await response.text());
  return { gateway, tookMs };
}

test('after kill -9 the next start takes over the database and answers within 2 s, if any start does', async () => {
  const usual = await startTimed();
  let { gateway } = usual;
  await assertWithin(Math.max(2_000, 3 * usual.tookMs), async () => {
    const { response } = await openStream(gateway);
    await gateway.kill();
    await assert.rejects(response.text());
    const database = readPostmasterPid(dataDir);
    const next = await startTimed();
    gateway = next.gateway;
    assert.equal(readPostmasterPid(dataDir), database, 'the very same server');
    return next.tookMs;
  });
  await using last = gateway;
  await assertBooksAgree(last);
});

test('kill -9 of the database: 503 with retry-after meanwhile, streams end, and it restarts by itself', async () => {
  await using gateway = await start();
  const { response: stream, release } = await openStream(gateway);
  process.kill(readPostmasterPid(dataDir), 'SIGKILL');
  release();
  const killedMs = performance.now();
  const statuses = new Map<number, number>();
  let successes = 0;
  while (successes < 3 && performance.now() - killedMs < 60_000) {
    const askedMs = performance.now();
    const response = await gateway.post(CHAT, hello());
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    assert.ok(response.status === 200 || response.status === 503, text);
    if (response.status === 503) {
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
      assert.ok(performance.now() - askedMs < 2_000 + SLOWNESS_MS, 'a refusal comes soon');
    }
    // The server may be back before any request has noticed.
    const isNoticed = statuses.has(503) || performance.now() - killedMs > 2_000;
    if (isNoticed) successes = response.status === 200 ? successes + 1 : 0;
    await sleep(20);
  }
  assert.equal(successes, 3, JSON.stringify([...statuses]));
  assert.match(await stream.text(), /\[DONE\]/, 'a stream that was open is not cut');
  // The journal is written soon after the database is back, not before the first request.
  await waitForJournal(gateway);
  const { json } = await gateway.cli('logs', '--request', stream.headers.get('x-request-id') ?? '');
  assert.equal(json?.['finish_reason'], 'completed');
  assert.equal(json['estimated'], false);
  await assertBooksAgree(gateway);
});

test('a second gateway on the data directory is refused in one sentence that names the first', async () => {
  await using gateway = await start();
  const startSecond = () => spawnCommand(['start', '--port', '0', '--data-dir', dataDir]);
  const second = await startSecond();
  rmSync(`${dataDir}/gateway.json`);
  const third = await startSecond(); // refused by the database alone
  for (const { code, stdout, stderr } of [second, third]) {
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^error: [^\n]+\n$/);
    assert.ok(stderr.includes(`process ${gateway.pid}`), stderr);
  }
  assert.ok(second.stderr.includes(gateway.url), second.stderr);
  assert.equal((await gateway.post(CHAT, hello())).status, 200);
});

test('the lock file of an exited gateway does not prevent a start, even if its process id is reused', async () => {
  const note = { url: 'http://127.0.0.1:1', pid: process.pid };
  writeFileSync(`${dataDir}/gateway.json`, `${JSON.stringify(note)}\n`);
  await using gateway = await start();
  assert.equal((await gateway.post(CHAT, hello())).status, 200);
});

test('an edit of sluice.yaml takes effect without a restart; after an invalid one the last valid one stays', async () => {
  await using gateway = await start();
  const ask = async (model: string) => (await gateway.post(CHAT, hello(model))).status;
  assert.equal(await ask('new-model'), 404);
  const { response, release } = await openStream(gateway);
  writeFileSync(gateway.configFile, config.replace('- id: mock-model', '- id: new-model'));
  await until('the edit is in force', async () => (await ask('new-model')) === 200);
  assert.equal(await ask('mock-model'), 404);
  release();
  assert.match(await response.text(), /\[DONE\]/, 'a stream from before the edit is not cut');
  for (const bad of [
    'providers: {',
    'prots: 1\n',
    config.replace('format: chat', 'format: carrier-pigeon'),
  ]) {
    const reported = gateway.log.length;
    writeFileSync(gateway.configFile, bad);
    await until('it is reported', () =>
      gateway.log.slice(reported).includes('the last valid one stays in force'),
    );
    assert.equal(await ask('new-model'), 200);
  }
  writeFileSync(gateway.configFile, config);
  await until('the old one is back', async () => (await ask('mock-model')) === 200);
});

test('an ordinary user runs it, too', { skip: needsRoot }, async () => {
  const own = `${folder.path}/nobody`;
  mkdirSync(own);
  chownSync(own, NOBODY.uid, NOBODY.gid);
  await using gateway = await start({ dataDir: `${own}/data`, user: NOBODY });
  assert.equal((await gateway.post(CHAT, hello())).status, 200);
  assert.equal(await gateway.stop(), 0);
  await stopOrphanDatabase(`${own}/data`);
});

test(
  'a data directory that only root can enter works: the database is placed where its user can reach it',
  { skip: needsRoot },
  async () => {
    const closed = `${folder.path}/closed`;
    mkdirSync(closed, { mode: 0o700 });
    const place = `${closed}/data`;
    const first = await start({ dataDir: place });
    const { apiKey } = first;
    const location = readFileSync(`${place}/postgres.location`, 'utf8').trim();
    try {
      assert.equal((await first.post(CHAT, hello())).status, 200);
      assert.equal(await first.stop(), 0);
      await using second = await start({ dataDir: place });
      const response = await second.post(CHAT, hello(), { authorization: `Bearer ${apiKey}` });
      assert.equal(response.status, 200, await response.text());
    } finally {
      await stopOrphanDatabase(location);
      rmSync(location, { recursive: true, force: true });
    }
  },
);
