import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, silentLog } from '#telemetry';
import { connect, createTestServers, needsRoot, readOne } from '../../../test/support/embedded-server.ts';
import { stopOrphanDatabase } from '../../../test/support/orphan-database.ts';
import { startEmbeddedServer } from './embedded-server.ts';

/** A user that no program of its own runs as; every system has it. */
const BIN = 2;

const servers = createTestServers();
const directory = join(servers.folder, 'data');

after(() => servers[Symbol.asyncDispose]());

before(async () => {
  const server = await servers.start(directory);
  const database = connect(server);
  await database.query({ text: 'CREATE TABLE kept AS SELECT generate_series(1, 10) AS id' });
  await database.close();
  await server.stop();
});

test('a data directory may be moved while it is stopped, even to a path too long for a socket', async () => {
  const moved = join(servers.folder, 'a folder, with "quotes" and '.padEnd(120, 'x'), 'data');
  mkdirSync(join(moved, '..'));
  renameSync(directory, moved);
  const server = await servers.start(moved);
  const socketFolder = server.connection.host;
  assert.ok(!socketFolder.startsWith(moved));
  assert.equal(statSync(socketFolder).mode & 0o777, 0o700);
  const database = connect(server);
  assert.equal(await readOne(database, 'SELECT count(*) FROM kept'), 10n);
  await database.close();
  await server.stop();
  rmSync(socketFolder, { recursive: true });
  renameSync(moved, directory);
});

const findDrafts = (path: string): string[] =>
  existsSync(path) ? readdirSync(path).filter((name) => name.includes('.new-')) : [];

/** Kills a first start while it creates the cluster; one that was too quick is followed by another, elsewhere. */
async function killFirstStart(): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const path = join(servers.folder, `killed-${tries}`);
    const other = await servers.runOther(
      path,
      `setInterval(() => undefined, 1000);
       console.log('starting');
       await startEmbeddedServer({ directory, log });`,
    );
    const isDone = (): boolean => existsSync(join(path, 'postgres'));
    const isHalfWay = (): boolean =>
      findDrafts(path).some((name) => existsSync(join(path, name, 'cluster/PG_VERSION')));
    while (!isHalfWay() && !isDone()) await sleep(2);
    await other.kill();
    if (!isDone()) return path;
    await stopOrphanDatabase(path);
  }
}

test('a first start that is killed half way leaves nothing that disturbs the next', async () => {
  const path = await killFirstStart();
  const server = await servers.start(path);
  assert.equal(server.adopted, false);
  assert.deepEqual(findDrafts(path), []);
  await server.stop();
});

test('what a killed first start of the same process number left is removed, as a container has it', async () => {
  const path = join(servers.folder, 'same-number');
  const left = join(path, `postgres.new-${process.pid}-abcdef`);
  mkdirSync(join(left, 'cluster'), { recursive: true });
  const server = await servers.start(path);
  assert.equal(existsSync(left), false);
  await server.stop();
});

test('of two concurrent first starts one creates the cluster, and both use the same server', async () => {
  const path = join(servers.folder, 'twins');
  mkdirSync(path);
  if (!needsRoot) chownSync(path, BIN, BIN);
  const program = `const server = await startEmbeddedServer({ directory, log });
    const database = openDatabase({ connection: server.connection, applicationName: 'twin' });
    await database.query({ text: 'SELECT 1' });
    console.log('ready');`;
  const twins = await Promise.all([servers.runOther(path, program), servers.runOther(path, program)]);
  assert.deepEqual(
    twins.map(({ line }) => line),
    ['ready', 'ready'],
  );
  for (const twin of twins) await twin.kill();
  assert.deepEqual(
    readdirSync(path).filter((name) => /new|password\./.test(name)),
    [],
  );
  const server = await servers.start(path);
  assert.equal(server.adopted, true);
  if (!needsRoot) {
    assert.equal(statSync(join(path, 'postgres')).uid, BIN, 'it runs as the owner of the directory');
    assert.equal(statSync(join(path, 'postgres.password')).uid, BIN, 'who can start it alone another time');
  }
  await server.stop();
});

test(
  'if the server’s user cannot reach the data directory, the cluster is stored elsewhere, and logged',
  { skip: needsRoot },
  async () => {
    const closed = join(servers.folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const reported: unknown[] = [];
    const log: Log = { ...silentLog, info: (facts) => void reported.push(facts['location']) };
    const path = join(closed, 'data');
    const server = await servers.start(path, { log });
    assert.match(server.location, /^\/var\/lib\/sluice\/[0-9a-f]{16}/);
    assert.deepEqual(reported, [server.location]);
    const database = connect(server);
    await database.query({ text: 'CREATE TABLE kept (id int)' });
    await database.close();
    await server.stop();

    chmodSync(closed, 0o755);
    const again = await servers.start(path);
    assert.equal(again.location, server.location, 'it stays where it is once it can be reached');
    const sameDatabase = connect(again);
    assert.equal(await readOne(sameDatabase, 'SELECT count(*) FROM kept'), 0n);
    await sameDatabase.close();
    await again.stop();

    renameSync(server.location, `${server.location}.away`);
    await assert.rejects(
      startEmbeddedServer({ directory: path, log: silentLog }),
      /which does not exist any more/,
    );
    assert.equal(existsSync(server.location), false, 'and no empty database takes its place');
    renameSync(`${server.location}.away`, server.location);
  },
);

test(
  'a cluster whose user lost the way to it is not replaced by an empty one',
  { skip: needsRoot },
  async () => {
    const above = join(directory, '..');
    chmodSync(above, 0o700);
    await assert.rejects(startEmbeddedServer({ directory, log: silentLog }), /cannot reach it any more/);
    chmodSync(above, 0o755);
  },
);
