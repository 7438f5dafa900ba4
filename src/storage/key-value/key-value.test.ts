import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { after, suite, test } from 'node:test';
import { systemClock } from '#base';
import { type Log, silentLog } from '#telemetry';
import { own } from '../../../test/support/owned.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import type { KeyValue } from './key-value.ts';
import { createMemoryKeyValue } from './memory-key-value.ts';
import { openKeyValue } from './open-key-value.ts';
import { openRedisKeyValue } from './redis-key-value.ts';

const folder = createTemporaryFolder('sluice-redis-');
const servers = new Set<ChildProcess>();
after(() => {
  for (const server of servers) server.kill('SIGKILL');
  folder.remove();
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A Redis of this test's own, or nothing where the program is not installed. */
async function startRedis(port: number, ...options: string[]): Promise<ChildProcess | undefined> {
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.path];
  const server = own(
    spawn('redis-server', [...fixed, ...options], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  servers.add(server);
  const ready = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve(true);
    });
  });
  return (await ready) ? server : undefined;
}

async function stop(server: ChildProcess): Promise<void> {
  server.kill('SIGKILL');
  await once(server, 'exit');
  servers.delete(server);
}

/** With the usual limit of 20 ms, after which a value reads as absent. */
function openRedis(at: number): Promise<KeyValue> {
  return openRedisKeyValue({ url: `redis://127.0.0.1:${at}`, log: silentLog });
}

/** With a limit that no answer reaches, however busy the machine; resolves when it is connected. */
async function openPatientRedis(at: number, more: { log?: Log; prefix?: string } = {}): Promise<KeyValue> {
  const options = { url: `redis://127.0.0.1:${at}`, log: silentLog, commandTimeoutMs: 10_000, ...more };
  const store = await openRedisKeyValue(options);
  await until('Redis is used', async () => (await store.evaluate?.('return 1', [], [])) === 1);
  return store;
}

const port = await findFreePort();
const redis = await startRedis(port);
const skip = redis === undefined ? 'redis-server is not installed' : false;

const STORES: Record<KeyValue['kind'], () => Promise<KeyValue>> = {
  memory: async () => createMemoryKeyValue({ clock: systemClock }),
  redis: () => openPatientRedis(port),
};

for (const [kind, open] of Object.entries(STORES)) {
  suite(`what every store promises: ${kind}`, { skip: kind === 'redis' && skip }, () => {
    test('what was set is read and overwritten', async () => {
      const store = await open();
      assert.equal(store.kind, kind);
      assert.equal(await store.get('nothing'), undefined);
      await store.set('a', 'one', 60_000);
      await store.set('b', '', 60_000);
      assert.equal(await store.get('a'), 'one');
      assert.equal(await store.get('b'), '');
      await store.set('a', 'zwei 🦊 \u0000', 60_000);
      assert.equal(await store.get('a'), 'zwei 🦊 \u0000');
      await store.ping();
      await store.close();
    });

    test('a value expires after its time to live, and immediately without one', async () => {
      const store = await open();
      await store.set('brief', 'x', 3_000.7);
      await store.set('lasting', 'x', 60_000);
      assert.equal(await store.get('brief'), 'x');
      await until('it is gone', async () => (await store.get('brief')) === undefined);
      assert.equal(await store.get('lasting'), 'x');
      await store.set('lasting', 'x', 0);
      assert.equal(await store.get('lasting'), undefined);
      await store.close();
    });

    test('a large value survives the journey', async () => {
      const store = await open();
      const text = 'ü'.repeat(512 * 1024);
      await store.set('large', text, 60_000);
      assert.equal((await store.get('large')) === text, true);
      await store.close();
    });
  });
}

test('the store in memory stays within its bytes and evicts what was used longest ago', async () => {
  const store = createMemoryKeyValue({ clock: systemClock, maxBytes: 10_000 });
  for (let index = 0; index < 10; index += 1) {
    await store.set(`key ${index}`, 'x'.repeat(1_000), 60_000);
    await store.get('key 0');
  }
  assert.equal((await store.get('key 0'))?.length, 1_000);
  assert.equal(await store.get('key 1'), undefined);
  await store.set('too large', 'x'.repeat(20_000), 60_000);
  assert.equal(await store.get('too large'), undefined);
});

test('time in memory is the given clock’s', async () => {
  let nowMs = 0;
  const store = createMemoryKeyValue({ clock: { now: () => 0, monotonicMs: () => nowMs } });
  await store.set('a', 'x', 1_000);
  nowMs = 999;
  assert.equal(await store.get('a'), 'x');
  nowMs = 1_001;
  assert.equal(await store.get('a'), undefined);
});

test('without a Redis configured the store is in memory', async () => {
  const store = await openKeyValue({ clock: systemClock, log: silentLog });
  assert.equal(store.kind, 'memory');
});

test('keys carry the program’s prefix, so that others may use the same Redis', { skip }, async () => {
  const store = await openPatientRedis(port);
  const other = await openPatientRedis(port, { prefix: '' });
  await store.set('mine', 'x', 60_000);
  assert.equal(await other.get('sluice:v1:mine'), 'x');
  assert.equal(await other.get('mine'), undefined);
  await store.close();
  await other.close();
});

test(
  'a Redis that crashes reads as empty at almost no cost, and is used again when it is back',
  { skip },
  async () => {
    const ownPort = await findFreePort();
    const first = await startRedis(ownPort);
    assert.ok(first);
    const reported: string[] = [];
    const log = {
      ...silentLog,
      warn: (_: unknown, text: string) => void reported.push(text),
      info: (_: unknown, text: string) => void reported.push(text),
    };
    const store = await openPatientRedis(ownPort, { log });
    reported.length = 0; // on a busy machine the first connection may take long
    await store.set('a', 'x', 60_000);
    await stop(first);
    for (let call = 0; call < 5; call += 1) assert.equal(await store.get('a'), undefined);
    const before = performance.now();
    for (let call = 0; call < 500; call += 1) {
      assert.equal(await store.get('a'), undefined);
      await store.set('a', 'x', 60_000);
    }
    assert.ok(performance.now() - before < 10_000, 'less than 20 ms for each of 1,000 calls');
    await assert.rejects(store.ping());
    await startRedis(ownPort);
    await until('Redis is used again', async () => {
      await store.set('a', 'y', 60_000);
      return (await store.get('a')) === 'y';
    });
    assert.deepEqual(reported, ['Redis does not answer; continuing without it', 'Redis answers again']);
    await store.close();
  },
);

test('a Redis that hangs costs a few callers 20 ms and later ones nothing', { skip }, async () => {
  const ownPort = await findFreePort();
  const server = await startRedis(ownPort);
  assert.ok(server);
  const store = await openRedis(ownPort);
  await store.set('a', 'x', 60_000);
  server.kill('SIGSTOP');
  const before = performance.now();
  for (let call = 0; call < 1_000; call += 1) assert.equal(await store.get('a'), undefined);
  assert.ok(performance.now() - before < 10_000, 'less than 20 ms for each of 1,000 calls');
  server.kill('SIGCONT');
  await until('Redis answers again', async () => (await store.get('a')) === 'x');
  await store.close();
});

test('a full Redis refuses to write, which is logged once, and is still read', { skip }, async () => {
  const ownPort = await findFreePort();
  const server = await startRedis(ownPort, '--maxmemory', '2mb', '--maxmemory-policy', 'noeviction');
  assert.ok(server);
  const reported: object[] = [];
  const log = {
    ...silentLog,
    warn: (facts: object, text: string) => void reported.push({ ...facts, text }),
  };
  const store = await openPatientRedis(ownPort, { log });
  reported.length = 0; // on a busy machine the first connection may take long
  await store.ping();
  await store.set('first', 'x', 60_000);
  for (let index = 0; index < 40; index += 1) await store.set(`big ${index}`, 'x'.repeat(100_000), 60_000);
  assert.equal(await store.get('first'), 'x');
  assert.equal(reported.length, 1);
  assert.match(JSON.stringify(reported), /"OOM .*Redis refuses commands/);
  await store.close();
});

test('a ping of a Redis that takes no writes fails with the reason', { skip }, async () => {
  const ownPort = await findFreePort();
  const server = await startRedis(ownPort, '--maxmemory', '1', '--maxmemory-policy', 'noeviction');
  const store = await openRedisKeyValue({ url: `redis://127.0.0.1:${ownPort}`, log: silentLog });
  await assert.rejects(store.ping(), /^ReplyError: OOM /);
  await store.close();
  server?.kill('SIGKILL');
});

test('a ping of a Redis without the database of the address fails with the reason', { skip }, async () => {
  const store = await openRedisKeyValue({ url: `redis://127.0.0.1:${port}/99`, log: silentLog });
  await assert.rejects(store.ping(), /^ReplyError: ERR DB index is out of range/);
  await store.close();
});

test('a user with no more rights than the guide names can do everything', { skip }, async () => {
  const ownPort = await findFreePort();
  const rights = 'on >pw ~sluice:* +get +set +del +eval +evalsha +ping +info +select';
  const server = await startRedis(ownPort, '--user', 'narrow', ...rights.split(' '));
  const store = await openRedisKeyValue({ url: `redis://narrow:pw@127.0.0.1:${ownPort}/1`, log: silentLog });
  await store.ping();
  await until('it is used', async () => {
    await store.set('a', 'x', 60_000);
    return (await store.get('a')) === 'x';
  });
  const set = `return redis.call('SET', KEYS[1], ARGV[1])`;
  await until('scripts run', async () => (await store.evaluate?.(set, ['b'], ['y'])) === 'OK');
  await store.set('a', '', 0);
  await store.close();
  server?.kill('SIGKILL');
});

test('a thousand reads given up half way never hand a caller another’s value', { skip }, async () => {
  const store = await openRedis(port);
  for (let index = 0; index < 50; index += 1) await store.set(`own ${index}`, String(index), 60_000);
  const read = async (index: number): Promise<void> => {
    const value = await store.get(`own ${index % 50}`);
    assert.ok(value === undefined || value === String(index % 50));
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => read(index)));
  await store.close();
});

test('a Redis that refuses the password is reported as such', { skip }, async () => {
  const ownPort = await findFreePort();
  const server = await startRedis(ownPort, '--requirepass', 'right');
  for (const [password, reason] of [
    ['wrong', /^WRONGPASS /],
    ['', /^NOAUTH /],
  ] as const) {
    const reported: unknown[] = [];
    const log = { ...silentLog, warn: (facts: object) => void reported.push(facts) };
    const url = `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${ownPort}`;
    const store = await openRedisKeyValue({ url, log });
    await assert.rejects(store.ping(), { message: reason });
    assert.match((reported[0] as { reason: string }).reason, reason);
    await store.close();
  }
  server?.kill('SIGKILL');
});

test('a refused connection fails nothing but the ping', async () => {
  const sockets = new Set<Socket>();
  const mute = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  for (const dead of [await findFreePort(), (mute.address() as AddressInfo).port]) {
    const reported: string[] = [];
    const log = { ...silentLog, warn: (_: unknown, text: string) => void reported.push(text) };
    const store = await openRedisKeyValue({ url: `redis://user:secret@127.0.0.1:${dead}`, log });
    assert.deepEqual(
      reported,
      ['Redis does not answer; continuing without it'],
      'reported at once, not at the first use',
    );
    assert.equal(await store.get('a'), undefined);
    await store.set('a', 'x', 1_000);
    const error: unknown = await store.ping().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(error.message, /secret/);
    await store.close();
  }
  for (const socket of sockets) socket.destroy();
  mute.close();
});
