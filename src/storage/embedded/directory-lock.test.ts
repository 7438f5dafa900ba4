import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLog } from '#telemetry';
import { clusterOf, connect, createTestServers } from '../../../test/support/embedded-server.ts';
import { connectEmbedded } from './connect-embedded.ts';
import { DirectoryTaken, acquireDirectoryLock } from './directory-lock.ts';
import { findPostmaster } from './postmaster.ts';

const servers = createTestServers();
const directory = join(servers.folder, 'data');
const cluster = clusterOf(directory);

after(() => servers[Symbol.asyncDispose]());

/** A gateway as far as this room is concerned: a server, and the lock of its directory. */
const GATEWAY = `const server = await startEmbeddedServer({ directory, log });
  const database = openDatabase({ connection: server.connection, applicationName: 'other' });
  await acquireDirectoryLock(database);
  console.log(process.pid);`;

before(async () => {
  const server = await servers.start(directory);
  await server.stop();
});

test('a second gateway on one data directory is refused with a message and does not disturb the first', async () => {
  const other = await servers.runOther(directory, GATEWAY);
  assert.equal(Number(other.line), other.child.pid);
  const server = await servers.start(directory);
  const database = connect(server);
  await assert.rejects(acquireDirectoryLock(database), (error) => {
    assert.ok(error instanceof DirectoryTaken);
    assert.match(error.message, new RegExp(`process ${other.line}\\b.*--data-dir`));
    return true;
  });
  await database.close();
  await server.stop();
  assert.equal(findPostmaster(cluster)?.isReady, true);

  const command = await connectEmbedded({ directory, log: silentLog });
  assert.equal(command.adopted, true);
  await command.stop();
  assert.equal(findPostmaster(cluster)?.isReady, true, 'a command does not stop a running server');
  await other.kill();
  await server.stop();
});

test('a command stops the server it started, unless a gateway uses it meanwhile', async () => {
  const alone = await connectEmbedded({ directory, log: silentLog });
  assert.equal(alone.adopted, false);
  await alone.stop();
  assert.equal(findPostmaster(cluster), undefined);

  const command = await connectEmbedded({ directory, log: silentLog });
  const gateway = await servers.runOther(directory, GATEWAY);
  await command.stop();
  const server = await servers.start(directory);
  assert.equal(server.adopted, true);
  await gateway.kill();
  await server.stop();
  assert.equal(findPostmaster(cluster), undefined);
});
