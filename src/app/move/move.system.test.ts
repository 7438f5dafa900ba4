import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '../../../test/support/command-line.ts';
import { fillLedger } from '../../../test/support/fill-ledger.ts';
import { type MoveOrder, runMove } from '../../../test/support/move-run.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import { createSharedDatabase } from '../../../test/support/shared-server.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { openStores } from '#app';
import { type Database, type SocketConnection } from '#storage';
import { openPatiently } from '../../../test/support/open-patiently.ts';
import { silentLog } from '#telemetry';

const folder = createTemporaryFolder();
const dataDir = join(folder.path, 'data');
const SECRET = randomBytes(32).toString('hex');
const places = new AsyncDisposableStack();
let source: Place;

interface Place {
  url: string;
  database: Database;
}

const toUrl = ({ host, port, user, password, database }: SocketConnection): string =>
  `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;

async function openPlace(): Promise<Place> {
  const { connection } = places.use(await createSharedDatabase());
  const database = openPatiently({ connection, applicationName: 'test', maxConnections: 1 });
  places.defer(() => database.close());
  return { url: toUrl(connection), database };
}

/** Runs a gateway's stores on a place, as a start does. */
async function startStores({ url }: Pick<Place, 'url'>): Promise<Awaited<ReturnType<typeof openStores>>> {
  const settings = { dataDir, databaseUrl: url, secret: SECRET };
  return openStores(settings, { role: 'gateway', log: silentLog });
}

const orderFor = ({ url }: Place, to: Place) => ({
  dataDir,
  env: { DATABASE_URL: url, SLUICE_SECRET: SECRET, NEW_DATABASE_URL: to.url },
  to: 'env:NEW_DATABASE_URL',
});

/** Rows and sequences, without those of processes. */
async function readRows({ database }: Place): Promise<string[]> {
  const facts = await readSchemaFacts(database);
  return facts.filter((fact) => /^row (?!owner|mapping_health|schema_migration)/.test(fact));
}

async function countMoved({ database }: Place): Promise<number> {
  const { rows } = await database.query<{ n: number }>({
    text: 'SELECT count(*)::int AS n FROM request_log',
  });
  return rows[0]?.n ?? 0;
}

/** Kills a move that has copied rows and cannot end: it may not write to one of the tables that come last. */
async function killMove(order: MoveOrder, target: Place): Promise<void> {
  const session = await target.database.openSession();
  await session.query({ text: 'BEGIN' });
  await session.query({ text: 'LOCK TABLE organization IN SHARE MODE' });
  const copied = until('the first rows are moved', async () => (await countMoved(target)) > 0);
  const { code, stderr } = await runMove(order, copied);
  await session.close();
  assert.equal(code, undefined, stderr);
}

before(async () => {
  source = await openPlace();
  {
    await using stores = await startStores(source);
    await fillLedger(stores, { rows: 25_000, days: 40 });
  }
  // The upkeep of the log had counted these months before they were filled.
  await source.database.query({
    text: `UPDATE log_state SET retention_cutoff = '-infinity', counted_through = '-infinity', closed_through = '-infinity'`,
  });
});
after(async () => {
  await places.disposeAsync();
  folder.remove();
});

test('a move that is killed is continued by the next, and both databases have the same rows', async () => {
  const target = await openPlace();
  const order = orderFor(source, target);
  await killMove(order, target);
  assert.ok((await countMoved(target)) > 0, 'what was moved stays');
  await assert.rejects(startStores(target), /A move into this database is not finished/);

  const { code, json, stderr } = await runMove(order);
  assert.equal(code, 0, `${stderr} ${JSON.stringify(json)}`.slice(0, 3_000));
  assert.equal(json?.['resumed'], true);
  assert.deepEqual((json['ledger'] as { ok: boolean }).ok, true);
  assert.deepEqual((json['books'] as { requests: number }).requests, 25_000);
  assert.deepEqual(await readRows(target), await readRows(source));
  const last = 'SELECT last_value FROM meter_id_seq';
  assert.deepEqual(
    (await target.database.query({ text: last })).rows,
    (await source.database.query({ text: last })).rows,
  );
  await (await startStores(target))[Symbol.asyncDispose]();
});

test('rows that changed in the source between two runs of a move are copied again', async () => {
  const target = await openPlace();
  const order = orderFor(source, target);
  await killMove(order, target);
  await source.database.query({
    text: `UPDATE request_log SET user_agent = 'changed' WHERE request_id LIKE '%7'`,
  });
  const { code, stderr } = await runMove(order);
  assert.equal(code, 0, stderr);
  assert.deepEqual(await readRows(target), await readRows(source));
});

test('a move is refused while a gateway runs, into a database with rows, and into its own', async () => {
  const target = await openPlace();
  const env = orderFor(source, target).env;
  const move = (to: string) =>
    runCommand(['database', 'move', '--to', to, '--json', '--data-dir', dataDir], env);
  {
    await using _running = await startStores(source);
    const { code, stderr } = await move('env:NEW_DATABASE_URL');
    assert.equal(code, 1);
    assert.match(stderr, /a gateway \(process \d+\) runs on the database/);
  }
  assert.match((await move(source.url)).stderr, /--to is the database that the installation uses already/);
  assert.match((await move('somewhere')).stderr, /--to is not an address such as postgres:/);
  assert.match((await move('env:NOWHERE')).stderr, /the variable NOWHERE is not set/);
  const lost = await runCommand([
    'database',
    'move',
    '--to',
    target.url,
    '--data-dir',
    join(folder.path, 'nowhere'),
  ]);
  assert.match(lost.stderr, /there is no Sluice data in .*nowhere/);
  await target.database.query({ text: `INSERT INTO organization (id, name) VALUES ('org_1', 'Acme')` });
  assert.match(
    (await move('env:NEW_DATABASE_URL')).stderr,
    /the database is not empty: its table organization/,
  );
});

test('an installation moves to the embedded PostgreSQL and back', async () => {
  const home = join(folder.path, 'embedded');
  mkdirSync(home);
  const env = { SLUICE_SECRET: SECRET };
  const small = await openPlace();
  {
    await using stores = await startStores(small);
    await stores.accounts.directory.createOrganization('Acme');
  }
  const args = ['--json', '--data-dir', home];
  const there = await runCommand(['database', 'move', '--to', 'embedded', ...args], {
    ...env,
    DATABASE_URL: small.url,
  });
  assert.equal(there.code, 0, there.stderr);
  const back = await openPlace();
  const { code, json, stderr } = await runCommand(['database', 'move', '--to', back.url, ...args], env);
  assert.equal(code, 0, stderr);
  assert.equal(json?.['from'], `the embedded PostgreSQL of ${home}`);
  assert.deepEqual(await readRows(back), await readRows(small));
});
