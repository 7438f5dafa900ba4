import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '#errors';
import { type Log, silentLog } from '#telemetry';
import {
  clusterOf,
  connect,
  createServerYard,
  needsRoot,
  readOne,
} from '../../../test/support/embedded-server.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { connectEmbedded } from './connect-embedded.ts';
import { DirectoryTaken, acquireDirectoryLock } from './directory-lock.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { findPostmaster } from './postmaster.ts';

const yard = createServerYard();
const directory = join(yard.folder, 'data');
const cluster = clusterOf(directory);

after(() => yard[Symbol.asyncDispose]());

before(async () => {
  const server = await yard.start(directory);
  const database = connect(server);
  await database.query({ text: 'CREATE TABLE kept (id int PRIMARY KEY)' });
  await database.close();
  await server.stop();
});

test('a second gateway on one data directory is refused politely and leaves the first alone', async () => {
  const other = await yard.runOther(
    directory,
    `const server = await startEmbeddedServer({ directory, log });
     const database = openDatabase({ connection: server.connection, applicationName: 'other' });
     await acquireDirectoryLock(database);
     console.log(process.pid);`,
  );
  assert.equal(Number(other.line), other.child.pid);
  const server = await yard.start(directory);
  const database = connect(server);
  await assert.rejects(acquireDirectoryLock(database), (error) => {
    assert.ok(error instanceof DirectoryTaken);
    assert.match(error.message, new RegExp(`process ${other.line}\\b.*--data-dir`));
    return true;
  });
  await database.close();
  await server.leave();
  assert.equal(findPostmaster(cluster)?.isReady, true);

  const command = await connectEmbedded({ directory, log: silentLog });
  assert.equal(command.adopted, true);
  await command.stop();
  assert.equal(findPostmaster(cluster)?.isReady, true, 'a short command leaves a running server alone');
  await other.kill();
  await server.stop();
});

test('a short command stops the server it started, unless a gateway has come to use it', async () => {
  const alone = await connectEmbedded({ directory, log: silentLog });
  assert.equal(alone.adopted, false);
  await alone.stop();
  assert.equal(findPostmaster(cluster), undefined);

  const command = await connectEmbedded({ directory, log: silentLog });
  const gateway = await yard.start(directory);
  const database = connect(gateway);
  const lock = await acquireDirectoryLock(database);
  await command.stop();
  assert.equal(await readOne(database, '1'), 1);
  await lock.release();
  await database.close();
  await gateway.stop();
});
