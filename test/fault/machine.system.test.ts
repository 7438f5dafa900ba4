import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { RawClient, parseResponse } from '../support/raw-client.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { openInProcess } from '../support/in-process.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS } from '../support/within.ts';
import { answer } from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
const HELLO = { model: 'mock-model', messages: [{ role: 'user', content: 'hello' }] };

let upstream: MockUpstream;
let folder: TemporaryFolder;
let config: string;

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'fine' }) });
  folder = createTemporaryFolder('sluice-machine-');
  config = createProviderConfig(upstream.baseUrl, {});
});

after(async () => {
  folder.remove();
  await upstream.close();
});

async function ask(gateway: Gateway): Promise<{ status: number; text: string }> {
  const response = await gateway.post(CHAT, HELLO, { connection: 'close' });
  return { status: response.status, text: await response.text() };
}

test('300 silent connections at `ulimit -n 256` do not prevent other requests', async () => {
  await using gateway = await startGateway({ config, descriptors: 256 });
  const clients: RawClient[] = [];
  try {
    for (let count = 0; count < 300; count += 1) {
      clients.push(await RawClient.open(gateway.url));
      if (count % 50 === 49) assert.equal((await ask(gateway)).status, 200);
    }
    for (let count = 0; count < 5; count += 1) {
      const { status, text } = await ask(gateway);
      assert.equal(status, 200, text);
    }
    await until(
      'those over the limit are closed',
      () => clients.filter(({ ended }) => ended).length >= 300 - 256,
    );
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
});

test('out of descriptors all the same, a request gets a 503 of the gateway’s own, and no provider the blame', async () => {
  const other = { id: 'other', models: ['other-model'] };
  const both = createProviderConfig(upstream.baseUrl, {}, other);
  await using gateway = await startGateway({
    config: `server: { maxConnections: 1000 }\n${both}`,
    descriptors: 256,
  });
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  using client = await RawClient.open(gateway.url);
  client.post(CHAT, HELLO, headers);
  assert.equal((await client.readResponse()).status, 200);
  const clients: RawClient[] = [];
  try {
    while (clients.length < 300) clients.push(await RawClient.open(gateway.url));
    await until('it has no more', () => clients.some(({ ended }) => ended));
    client.post(CHAT, { ...HELLO, model: 'other-model' }, headers);
    const readSecond = (): string => client.received.split('HTTP/1.1 ')[2] ?? '';
    await until('it is answered', () => readSecond().endsWith('}'));
    const response = parseResponse(`HTTP/1.1 ${readSecond()}`);
    assert.equal(response.status, 503, response.body);
    assert.match(response.body, /"code":"too_many_connections"/);
    assert.match(response.headers['retry-after'] ?? '', /^\d+$/);
  } finally {
    for (const each of clients) each[Symbol.dispose]();
  }
  await until('it serves again', async () => {
    // Until it has descriptors again, connections are still reset.
    const response = await gateway.post(CHAT, { ...HELLO, model: 'other-model' }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 200;
  });
});

test('requests are served again within 2 s of the moment when connections to the database carry nothing any more', async () => {
  await using gateway = await openInProcess();
  const body = { model: 'chat-model', messages: [{ role: 'user', content: 'hello' }] };
  const askAll = async (): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.post(CHAT, body)));
    for (const each of answers) await each.arrayBuffer();
    return answers.map(({ status }) => status);
  };
  const well = Array<number>(8).fill(200);
  assert.deepEqual(await askAll(), well);
  gateway.line.lose();
  const lostMs = performance.now();
  await until('all are served', async () => (await askAll()).join() === well.join());
  assert.ok(performance.now() - lostMs < 2_000 + SLOWNESS_MS);
  assert.deepEqual(await gateway.accounts.ledger.check(), []);
});

/** Why a test cannot have its own disk; undefined once it is mounted. */
function mountSmallDisk(path: string): string | undefined {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', path], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `no small disk can be mounted here (${error instanceof Error ? error.message.split('\n')[0] : ''})`;
  }
}

/** Fills a disk completely. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(1 << 16, 1);
  try {
    for (;;) writeSync(file, block);
  } catch {
    closeSync(file);
  }
}

test('a full disk: readiness and health return 503 until there is space', async (t) => {
  const disk = `${folder.path}/disk`;
  const problem = mountSmallDisk(disk);
  if (problem !== undefined) {
    t.skip(problem);
    return;
  }
  t.after(() => execFileSync('umount', ['-l', disk]));
  await using gateway = await startGateway({ config, dataDir: `${disk}/data` });
  const readAll = () =>
    Promise.all(['/readyz', '/'].map(async (path) => (await gateway.request(path)).status));
  assert.deepEqual(await readAll(), [200, 200]);
  assert.equal((await ask(gateway)).status, 200);
  fill(`${disk}/rest`);
  await until('both say so', async () => (await readAll()).join() === '503,503');
  const { message } = (await (await gateway.request('/')).json()) as { message: string };
  assert.match(message, /^down: /);
  assert.equal((await gateway.request('/livez')).status, 200);
  const { status } = await ask(gateway);
  assert.ok(status === 200 || status === 503, `${status}`);
  rmSync(`${disk}/rest`);
  await until('both are well', async () => (await readAll()).join() === '200,200');
  await until('it serves', async () => (await ask(gateway)).status === 200);
  assert.equal((await gateway.cli('ledger', 'check')).code, 0);
});
