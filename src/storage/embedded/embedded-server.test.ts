import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chownSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '#errors';
import { silentLog } from '#telemetry';
import { clusterOf, connect, createTestServers, readOne } from '../../../test/support/embedded-server.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { acquireDirectoryLock } from './directory-lock.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { findPostmaster } from './postmaster.ts';

const servers = createTestServers();
const directory = join(servers.folder, 'data');
const cluster = clusterOf(directory);

after(() => servers[Symbol.asyncDispose]());

before(async () => {
  const server = await servers.start(directory);
  const database = connect(server);
  await database.query({ text: 'CREATE TABLE kept (id int PRIMARY KEY)' });
  await database.close();
  await server.stop();
});

test('a stopped server starts again with its rows, on a private socket only and with full durability', async () => {
  const before = performance.now();
  const server = await servers.start(directory);
  const tookMs = performance.now() - before;
  assert.equal(server.adopted, false);
  assert.equal(server.location, directory);
  assert.ok(tookMs < 2_000 + SLOWNESS_MS, `started in ${tookMs} ms`);
  const database = connect(server);
  assert.equal(await readOne(database, 'SELECT count(*) FROM kept'), 0n);
  for (const [setting, value] of Object.entries({
    listen_addresses: '',
    fsync: 'on',
    synchronous_commit: 'on',
    data_checksums: 'on',
    TimeZone: 'UTC',
    server_encoding: 'UTF8',
    max_wal_size: '256MB',
    jit: 'off',
  })) {
    assert.equal(await readOne(database, `current_setting('${setting}')`), value, setting);
  }
  const socketFolder = server.connection.host;
  assert.equal(statSync(socketFolder).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory, 'postgres.password')).mode & 0o777, 0o600);
  await database.close();
  await server.stop();
  assert.equal(findPostmaster(cluster), undefined);
});

test('a wrong password is refused even on the private socket', async () => {
  const server = await servers.start(directory);
  const connection = { ...server.connection, password: 'guess' };
  const database = openDatabase({ connection, applicationName: 'sluice test' });
  await assert.rejects(database.query({ text: 'SELECT 1' }), { code: 'store_unavailable' });
  await database.close();
  await server.stop();
});

test('a connection does not hash the password thousands of times', async () => {
  const server = await servers.start(directory);
  const database = connect(server);
  const iterations = `(SELECT substring(rolpassword FROM '^SCRAM-SHA-256.(\\d+):') FROM pg_authid WHERE rolname = current_user)`;
  assert.equal(await readOne(database, iterations), '1');
  await database.close();
  await server.stop();
});

test('the server outlives a gateway that is killed, and the next one adopts it and its lock', async () => {
  const other = await servers.runOther(
    directory,
    `const server = await startEmbeddedServer({ directory, log });
     const database = openDatabase({ connection: server.connection, applicationName: 'other' });
     await acquireDirectoryLock(database);
     await database.query({ text: 'INSERT INTO kept VALUES (1)' });
     console.log('ready');`,
  );
  assert.equal(other.line, 'ready');
  const running = findPostmaster(cluster);
  await other.kill();
  const server = await servers.start(directory);
  assert.equal(server.adopted, true);
  assert.equal(findPostmaster(cluster)?.pid, running?.pid);
  const database = connect(server);
  assert.equal(await readOne(database, 'SELECT count(*) FROM kept WHERE id = 1'), 1n);
  const lock = await acquireDirectoryLock(database);
  await lock.release();
  await database.close();
  await server.stop();
});

test('a killed server is back in seconds with every committed row, and the lock is held again', async () => {
  const server = await servers.start(directory);
  let exits = 0;
  server.onExit(() => (exits += 1));
  const database = connect(server);
  const lock = await acquireDirectoryLock(database);
  await database.query({ text: 'INSERT INTO kept SELECT generate_series(10, 19)' });
  const killed = findPostmaster(cluster)?.pid;
  assert.ok(killed);
  process.kill(killed, 'SIGKILL');
  await until('another server answers', async () => {
    const isNew = ![killed, undefined].includes(findPostmaster(cluster)?.pid);
    return isNew && (await answers(database));
  });
  assert.equal(exits, 1);
  assert.equal(await readOne(database, 'SELECT count(*) FROM kept WHERE id >= 10'), 10n);
  const isHeld = `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND application_name = 'sluice-gateway:${process.pid}'`;
  await until('the lock is held again', async () => (await readOne(database, isHeld)) === 1n);
  await lock.release();
  await database.close();
  await server.stop();
});

async function answers(database: Database): Promise<boolean> {
  return database.ping(1_000).then(
    () => true,
    (error: unknown) => {
      assert.ok(error instanceof GatewayError && error.code === 'store_unavailable');
      return false;
    },
  );
}

test('a pid file or a socket lock of an unrelated process does not keep the server from starting', async () => {
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
  after(() => stranger.kill());
  const owner = statSync(cluster);
  const pidFile = join(cluster, 'postmaster.pid');
  writeFileSync(pidFile, `${stranger.pid ?? 0}\n${cluster}\n1\n5432\n/nowhere\n\n\nready   \n`);
  chownSync(pidFile, owner.uid, owner.gid);
  const server = await servers.start(directory);
  assert.equal(server.adopted, false);
  const { host, port } = server.connection;
  await server.stop();
  writeFileSync(join(host, `.s.PGSQL.${port}.lock`), `${stranger.pid ?? 0}\n${cluster}\n1\n5432\n${host}\n`);
  const again = await servers.start(directory);
  assert.equal(stranger.exitCode, null, 'and the stranger lives');
  await again.stop();
});

test('a log that has grown large is emptied at the next start', async () => {
  const path = join(directory, 'postgres.log');
  truncateSync(path, 5 * 1024 * 1024);
  const server = await servers.start(directory);
  assert.ok(statSync(path).size < 100_000);
  assert.match(readFileSync(path, 'utf8'), /ready to accept connections/);
  await server.stop();
});

test('a lost password is named, and a broken setting shows the server’s message', async () => {
  const password = join(directory, 'postgres.password');
  renameSync(password, `${password}.away`);
  await assert.rejects(startEmbeddedServer({ directory, log: silentLog }), /postgres\.password is missing/);
  renameSync(`${password}.away`, password);
  const configuration = join(cluster, 'postgresql.conf');
  const text = readFileSync(configuration, 'utf8');
  writeFileSync(configuration, `${text}\nno_such_setting = 1\n`);
  await assert.rejects(startEmbeddedServer({ directory, log: silentLog }), /no_such_setting/);
  writeFileSync(configuration, text);
});

test('a database of another major version of PostgreSQL is left as it is, and the refusal names the way', async () => {
  const file = join(cluster, 'PG_VERSION');
  const version = readFileSync(file, 'utf8');
  writeFileSync(file, '17\n');
  await assert.rejects(
    startEmbeddedServer({ directory, log: silentLog }),
    new RegExp(`was created by PostgreSQL 17, .* PostgreSQL ${version.trim()}\\. Back it up .* restore`),
  );
  assert.equal(readFileSync(file, 'utf8'), '17\n');
  writeFileSync(file, version);
  await (await servers.start(directory)).stop();
});

test('a start can be given up, and leaves nothing running', async () => {
  const abort = new AbortController();
  const starting = startEmbeddedServer({ directory, log: silentLog, signal: abort.signal });
  abort.abort(new Error('enough'));
  await assert.rejects(starting, /enough/);
  await sleep(100);
  assert.equal(findPostmaster(cluster), undefined);
});
