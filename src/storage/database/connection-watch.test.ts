import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { type DatabaseLine, openDatabaseLine } from '../../../test/support/database-line.ts';
import { type TestServers, createTestServers, readOne } from '../../../test/support/embedded-server.ts';
import { seedCluster } from '../../../test/support/seed-cluster.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS, assertWithin } from '../../../test/support/within.ts';
import { silentLog } from '#telemetry';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const WITHIN_MS = 2_000;

const servers: TestServers = createTestServers();
let line: DatabaseLine;
let database: Database;
const warnings: { message: string; pid?: number; session?: string }[] = [];

before(async () => {
  const directory = join(servers.folder, 'data');
  await seedCluster(directory);
  const { connection } = await servers.start(directory);
  line = await openDatabaseLine(join(connection.host, `.s.PGSQL.${connection.port}`));
  const { user, password, database: name } = connection;
  const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${line.port}/${name}`;
  const warn = (facts: object, message: string): void => void warnings.push({ ...facts, message });
  database = openDatabase({
    connection: { url },
    applicationName: 'sluice watched',
    log: { ...silentLog, warn },
  });
});
after(async () => {
  await database.close();
  await line[Symbol.asyncDispose]();
  await servers[Symbol.asyncDispose]();
});
afterEach(() => line.mend());

/** Opens this many idle connections. */
async function warm(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => database.query({ text: 'SELECT pg_sleep(0.05)' })));
}

test('black-holed connections are replaced within 2 s, idle ones too', async () => {
  await assertWithin(WITHIN_MS + SLOWNESS_MS, async () => {
    await warm(8);
    line.lose();
    const lostMs = performance.now();
    for (let failures = 0; ; failures += 1) {
      const answered = await database.query({ text: 'SELECT 1' }).then(
        () => true,
        () => false,
      );
      if (answered) break;
      assert.ok(failures < 1, 'one statement at most pays for all of them');
    }
    return performance.now() - lostMs;
  });
});

test('a transaction on a lost connection fails with store_unavailable, and the next one works', async () => {
  const work = database.transaction(async (client) => {
    await client.query({ text: 'SELECT 1' });
    line.lose();
    return client.query({ text: 'SELECT 2' });
  });
  const lostMs = performance.now();
  await assert.rejects(work, { code: 'store_unavailable' });
  assert.ok(performance.now() - lostMs < WITHIN_MS + SLOWNESS_MS);
  assert.equal(await readOne(database, '3'), 3);
});

test('a statement that the server works on may take its time', async () => {
  const { rows } = await database.query<{ pid: number }>({
    text: 'SELECT pg_backend_pid() AS pid, pg_sleep(2)',
  });
  assert.equal(rows.length, 1);
});

test('a listener whose connection is lost reconnects, and is informed that it may have missed some', async () => {
  let received = '';
  let missed = 0;
  const subscription = await database.listen(
    'watch',
    (text) => (received = text),
    () => (missed += 1),
  );
  line.lose();
  await until('it listens again', () => missed === 1);
  await database.query({ text: "SELECT pg_notify('watch', 'news')" });
  await until('it is notified', () => received === 'news');
  await subscription.close();
});

test('an unresponsive server is only probed once it responds again', async () => {
  await warm(2);
  line.hold();
  const asked = database.query({ text: 'SELECT 1' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  line.mend();
  assert.equal((await asked).rows.length, 1, 'it was slow, and not lost');
});

test('the session whose lock statements wait for is logged once', async () => {
  await database.query({ text: 'CREATE TABLE locked ()' });
  const psql = await database.openSession('psql');
  await psql.query({ text: 'BEGIN' });
  const { rows } = await psql.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  await psql.query({ text: 'LOCK TABLE locked' });
  const waiting = [1, 2].map(() => database.query({ text: 'SELECT FROM locked' }));
  const findBlocked = () => warnings.filter(({ message }) => message.includes('lock of another session'));
  await until('it is logged', () => findBlocked().length > 0);
  await psql.close();
  await Promise.all(waiting);
  assert.deepEqual(
    findBlocked().map(({ pid, session }) => [pid, session]),
    [[rows[0]?.pid, 'psql, idle in transaction']],
  );
});
