import assert from 'node:assert/strict';
import { chownSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Log, silentLog } from '#telemetry';
import { connect, createTestServers, needsRoot, readOne } from '../../../test/support/embedded-server.ts';
import { makeUser } from './make-user.ts';
import { canReach, findDedicatedUser, findServerUser, isOwnUser } from './server-user.ts';

const NOBODY = 65_534;

const servers = createTestServers();
after(() => servers[Symbol.asyncDispose]());

const modeOf = (path: string): number => statSync(path).mode & 0o777;

function createListeningLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: { ...silentLog, warn: (_, text) => void lines.push(text) } };
}

describe('a gateway of root', { skip: needsRoot }, () => {
  const directory = join(servers.folder, 'data');

  test('its database belongs to a dedicated user, and no other can enter the data directory', async () => {
    const server = await servers.start(directory);
    const dedicated = await findDedicatedUser();
    assert.ok(dedicated && dedicated.uid !== 0 && dedicated.uid !== NOBODY);
    for (const path of [directory, join(directory, 'postgres'), server.connection.host]) {
      assert.equal(statSync(path).uid, dedicated.uid, path);
      assert.equal(modeOf(path), 0o700, path);
    }
    assert.equal(await canReach({ uid: NOBODY, gid: NOBODY }, join(directory, 'postgres')), false);
    const database = connect(server);
    await database.query({ text: 'CREATE TABLE kept AS SELECT 1 AS id' });
    await database.close();
    await server.stop();
  });

  test('a database owned by the user nobody is transferred to the dedicated user, and this is logged', async () => {
    const outside = join(servers.folder, 'outside');
    writeFileSync(outside, '');
    symlinkSync(outside, join(directory, 'postgres/link'));
    const socket = join(directory, 'postgres.socket');
    const all = readdirSync(join(directory, 'postgres'), { recursive: true, encoding: 'utf8' });
    for (const path of [...all.map((name) => join(directory, 'postgres', name)), join(directory, 'postgres')])
      if (!lstatSync(path).isSymbolicLink()) chownSync(path, NOBODY, NOBODY);
    chownSync(socket, NOBODY, NOBODY);
    chownSync(directory, 0, 0);
    const { log, lines } = createListeningLog();
    const server = await servers.start(directory, { log });
    const dedicated = await findDedicatedUser();
    assert.deepEqual(lines, ['the database was given to its own user']);
    for (const path of [
      join(directory, 'postgres/PG_VERSION'),
      join(directory, 'postgres'),
      socket,
      directory,
    ])
      assert.equal(statSync(path).uid, dedicated?.uid, path);
    assert.equal(statSync(outside).uid, 0, 'the target of a link does not change owner');
    const database = connect(server);
    assert.equal(await readOne(database, 'SELECT count(*) FROM kept'), 1n);
    await database.close();
    await server.stop();
  });

  test('a directory of the user nobody does not make the server run as nobody', async () => {
    const path = join(servers.folder, 'of-nobody');
    mkdirSync(path);
    chownSync(path, NOBODY, NOBODY);
    assert.deepEqual(await findServerUser(path, silentLog), await findDedicatedUser());
    for (const uid of [0, 1, NOBODY, 4_123_456_789]) assert.equal(await isOwnUser(uid), false, `user ${uid}`);
  });

  test('a directory with other files than Sluice’s keeps its owner', async () => {
    const path = join(servers.folder, 'checkout');
    mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(path, 'package.json'), '{}');
    const server = await servers.start(path);
    assert.equal(statSync(path).uid, 0);
    assert.equal(modeOf(path), 0o755);
    assert.equal(modeOf(join(path, 'postgres')), 0o700);
    await server.stop();
  });
});

describe('the user of the database', () => {
  const USER = { uid: 8787, gid: 8787 };
  const fail = (stderr: string) => () => Promise.reject(Object.assign(new Error('failed'), { stderr }));

  test('is created with the first available tool, and logged', async () => {
    const { log, lines } = createListeningLog();
    const ran: string[] = [];
    let isCreated = false;
    const run = async (program: string): Promise<void> => {
      ran.push(program);
      if (program === 'useradd') throw Object.assign(new Error('spawn useradd ENOENT'), { stderr: '' });
      isCreated = true;
    };
    assert.deepEqual(await makeUser(log, async () => (isCreated ? USER : undefined), run), USER);
    assert.deepEqual(ran, ['useradd', 'useradd', 'adduser']);
    assert.deepEqual(lines, ['created the system user sluice for the embedded PostgreSQL']);
  });

  test('is the one that a concurrent start creates', async () => {
    let asked = 0;
    const find = async () => ((asked += 1) > 3 ? USER : undefined);
    const { log, lines } = createListeningLog();
    const dedicated = makeUser(log, find, fail('useradd: cannot lock /etc/passwd; try again later.'));
    assert.deepEqual(await dedicated, USER);
    assert.deepEqual(lines, []);
  });

  test('if it cannot be created, the start is refused with the command that creates it', async () => {
    await assert.rejects(
      makeUser(silentLog, async () => undefined, fail('useradd: read-only file system\n')),
      /a dedicated user named sluice.*read-only file system.*echo 'sluice:x:8787:8787.*>> \/etc\/passwd.*DATABASE_URL/,
    );
  });
});
