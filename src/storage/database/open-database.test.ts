import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createTestServers } from '../../../test/support/embedded-server.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { Database } from './database.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';

const servers = createTestServers();
const DOWN = { code: 'store_unavailable' };
/** A limit of statements that a test waits for, and other statements keep on a busy machine. */
const SHORT_MS = 1_500;
let server: EmbeddedServer;
let database: Database;

before(async () => {
  server = await servers.start(join(servers.folder, 'data'));
  database = open();
  await database.query({ text: 'CREATE TABLE meter (id int PRIMARY KEY, used int NOT NULL)' });
  await database.query({ text: 'INSERT INTO meter VALUES (1, 0), (2, 0)' });
});

after(async () => {
  await database.close();
  await servers[Symbol.asyncDispose]();
});

function open(options: Partial<DatabaseOptions> = {}): Database {
  return openDatabase({ connection: server.connection, applicationName: 'sluice test', ...options });
}

function terminate(applicationName: string): Promise<unknown> {
  return database.query({
    text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
    values: [applicationName],
  });
}

test('a connection to a server that may no longer write is replaced', async () => {
  const other = open({ maxConnections: 1 });
  await other.query({ text: 'SET default_transaction_read_only = on' }); // as if it was demoted
  const write = () => other.query({ text: 'UPDATE meter SET used = used' });
  await assert.rejects(write(), DOWN);
  await write();
  await assert.rejects(
    other.transaction(async (client) => {
      await client.query({ text: 'SET TRANSACTION READ ONLY' });
      await client.query({ text: 'UPDATE meter SET used = used' });
    }),
    DOWN,
  );
  await write();
  await other.close();
});

test('int8 arrives as bigint, numeric as decimal text, and a bigint can be sent', async () => {
  const { rows, rowCount } = await database.query({
    name: 'kinds',
    text: `SELECT $1::int8 AS whole, ARRAY[1, NULL, 9223372036854775807]::int8[] AS many,
      123456789012345678901234567890.5::numeric AS amount, count(*) AS count, 1::int4 AS small`,
    values: [9_007_199_254_740_993n],
  });
  assert.equal(rowCount, 1);
  assert.deepEqual(rows, [
    {
      whole: 9_007_199_254_740_993n,
      many: [1n, null, 9_223_372_036_854_775_807n],
      amount: '123456789012345678901234567890.5',
      count: 1n,
      small: 1,
    },
  ]);
});

test('a transaction that throws leaves nothing behind and its connection usable', async () => {
  const single = open({ maxConnections: 1 });
  await assert.rejects(
    single.transaction(async (client) => {
      await client.query({ text: 'UPDATE meter SET used = 99 WHERE id = 1' });
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  const { rows } = await single.query({ text: 'SELECT used FROM meter WHERE id = 1' });
  assert.deepEqual(rows, [{ used: 0 }]);
  await single.close();
});

test('a deadlock is retried and never surfaces', async () => {
  const both = new Barrier(2);
  let runs = 0;
  const touch = (first: number, second: number) =>
    database.transaction(async (client) => {
      runs += 1;
      await client.query({ text: 'UPDATE meter SET used = used + 1 WHERE id = $1', values: [first] });
      await both.meet();
      await client.query({ text: 'UPDATE meter SET used = used + 1 WHERE id = $1', values: [second] });
    });
  await database.query({ text: "ALTER ROLE sluice SET deadlock_timeout = '20ms'" });
  await Promise.all([touch(1, 2), touch(2, 1)]);
  const { rows } = await database.query({ text: 'SELECT used FROM meter ORDER BY id' });
  assert.deepEqual(rows, [{ used: 2 }, { used: 2 }]);
  assert.ok(runs >= 3, 'at least one of the two was undone');
});

/** Lets the first comers go on once all of them are there, and everyone who comes later. */
class Barrier {
  readonly #open = Promise.withResolvers<undefined>();
  #missing: number;

  constructor(size: number) {
    this.#missing = size;
  }

  meet(): Promise<undefined> {
    this.#missing -= 1;
    if (this.#missing === 0) this.#open.resolve(undefined);
    return this.#open.promise;
  }
}

test('a conflict that never ends surfaces after three tries', async () => {
  let runs = 0;
  const conflict = database.transaction(async (client) => {
    runs += 1;
    await client.query({ text: "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$" });
  });
  await assert.rejects(conflict, { code: '40001' });
  assert.equal(runs, 3);
});

test('a statement that takes too long fails as store_unavailable, and its connection is reused', async () => {
  const short = open({ maxConnections: 1, statementTimeoutMs: SHORT_MS });
  const { rows: first } = await short.query({ text: 'SELECT pg_backend_pid() AS pid' });
  await assert.rejects(short.query({ text: 'SELECT pg_sleep(60)' }), DOWN);
  const { rows: second } = await short.query({ text: 'SELECT pg_backend_pid() AS pid' });
  assert.deepEqual(second, first);
  await short.close();
});

test('a server process that stops answering is abandoned and replaced', async () => {
  const name = 'sluice stalled';
  const short = open({ maxConnections: 1, statementTimeoutMs: SHORT_MS, applicationName: name });
  const { rows } = await short.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const pid = rows[0]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    await assert.rejects(short.query({ text: 'SELECT 1' }), DOWN);
    await short.query({ text: 'SELECT 1' });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await short.close();
});

test('a ping to a silent server times out and releases the connection', async () => {
  const single = open({ maxConnections: 1 });
  const { rows } = await single.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const pid = rows[0]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    const before = performance.now();
    await assert.rejects(single.ping(100), DOWN);
    assert.ok(performance.now() - before < 100 + SLOWNESS_MS);
    await single.ping(5_000);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await single.close();
});

test('a caller waits only so long for a connection', async () => {
  const single = open({ maxConnections: 1 });
  const isTaken = Promise.withResolvers<undefined>();
  const isRefused = Promise.withResolvers<undefined>();
  const held = single.transaction(async () => {
    isTaken.resolve(undefined);
    await isRefused.promise;
  });
  await isTaken.promise;
  await assert.rejects(single.query({ text: 'SELECT 1' }), DOWN);
  isRefused.resolve(undefined);
  await held;
  await single.close();
});

test('a connection that the server ends while it is lent out fails its transaction and not the process', async () => {
  const name = 'sluice cut';
  const cut = open({ maxConnections: 1, applicationName: name });
  await assert.rejects(
    cut.transaction(async (client) => {
      await client.query({ text: 'SELECT 1' });
      await terminate(name);
      await sleep(20);
      await client.query({ text: 'SELECT 1' });
    }),
    DOWN,
  );
  await cut.query({ text: 'SELECT 1' });
  await terminate(name);
  const isWell = (): Promise<boolean> =>
    cut.query({ text: 'SELECT 1' }).then(
      () => true,
      () => false,
    );
  await until('another has taken its place', isWell);
  await cut.close();
});

test('an SQL error is passed on as the driver reports it', async () => {
  await assert.rejects(database.query({ text: 'INSERT INTO meter VALUES (1, 0)' }), { code: '23505' });
});

test('a listener receives notifications, and is informed when it may have missed some', async () => {
  const received: string[] = [];
  let reconnects = 0;
  const subscription = await database.listen(
    'odd "channel"',
    (payload) => received.push(payload),
    () => (reconnects += 1),
  );
  const say = (text: string) =>
    database.query({ text: 'SELECT pg_notify($1, $2)', values: ['odd "channel"', text] });
  await say('one');
  await until('one is received', () => received.length === 1);
  await terminate('sluice test listen');
  await until('it listens again', () => reconnects === 1);
  await say('two');
  await until('two is received', () => received.length === 2);
  assert.deepEqual(received, ['one', 'two']);
  await subscription.close();
  await say('three');
  await sleep(20);
  assert.equal(received.length, 2);
});

test('while the server is down every call fails with store_unavailable at once, and works again when it is back', async () => {
  const received: string[] = [];
  const subscription = await database.listen(
    'news',
    (payload) => received.push(payload),
    () => received.push('reconnected'),
  );
  await server.stop();
  const before = performance.now();
  await assert.rejects(database.query({ text: 'SELECT 1' }), DOWN);
  await assert.rejects(
    database.transaction(async (client) => client.query({ text: 'SELECT 1' })),
    DOWN,
  );
  await assert.rejects(database.ping(500), DOWN);
  await assert.rejects(
    database.listen(
      'x',
      () => undefined,
      () => undefined,
    ),
    DOWN,
  );
  assert.ok(performance.now() - before < SLOWNESS_MS);
  server = await servers.start(join(servers.folder, 'data'));
  await database.ping(2_000);
  await until('it listens again', () => received.includes('reconnected'));
  await subscription.close();
});

test('a secret of the connection is in no error', async () => {
  const connections: ConnectionOptions[] = [
    { url: 'postgres://user:hunter2@127.0.0.1:1/x' },
    { url: 'postgres://user:hunter2@[broken/x' },
  ];
  for (const connection of connections) {
    const ask = async () => openDatabase({ connection, applicationName: 'x' }).query({ text: 'SELECT 1' });
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter2/);
  }
});
