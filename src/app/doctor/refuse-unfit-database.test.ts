import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, migrate, readMigrations } from '#storage';
import { openPatiently } from '../../../test/support/open-patiently.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { startExternalServer } from '../../../test/support/external-server.ts';
import { diagnose } from './diagnose.ts';
import { refuseUnfitDatabase } from './refuse-unfit-database.ts';

test('a database that cannot hold an installation is refused with what to do, and `doctor` says the same', async () => {
  using folder = createTemporaryFolder();
  await using server = await startExternalServer();
  const connect = (url: string): Database =>
    openPatiently({ connection: { url }, applicationName: 'sluice test' });
  const admin = connect(server.url);
  for (const text of [
    `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    'CREATE DATABASE frozen',
    'ALTER DATABASE frozen SET default_transaction_read_only = on',
    'CREATE DATABASE lost',
    'ALTER DATABASE lost SET search_path = nowhere',
    `CREATE ROLE guest LOGIN PASSWORD '${decodeURIComponent(new URL(server.url).password)}'`,
    'CREATE DATABASE strict',
  ])
    await admin.query({ text });
  await admin.close();
  for (const [name, message, user] of [
    ['latin', /has the encoding LATIN1; create one with ENCODING 'UTF8' TEMPLATE template0$/],
    ['frozen', /takes no changes from \S+; switch off default_transaction_read_only$/],
    ['lost', /no schema of the search_path exists.*; create one, or correct search_path$/],
    ['strict', /the user guest may not create tables.*; GRANT CREATE ON SCHEMA public TO guest$/, 'guest'],
  ] as const) {
    const url = new URL(server.url);
    url.pathname = name;
    if (user !== undefined) url.username = user;
    const database = connect(url.href);
    await assert.rejects(refuseUnfitDatabase(database), message);
    await database.close();
    const findings = await diagnose({
      workingDirectory: folder.path,
      environment: { DATABASE_URL: url.href, SLUICE_PORT: '0' },
    });
    const finding = findings.find((one) => one.name === 'database');
    assert.equal(finding?.state, 'problem');
    assert.match(finding.message, message);
  }
});

test('a table of another program that is in the way is named, and left as it is', async () => {
  await using server = await startExternalServer();
  const database = openPatiently({ connection: { url: server.url }, applicationName: 'sluice test' });
  await database.query({ text: 'CREATE TABLE project AS SELECT 1 AS id' });
  await assert.rejects(
    migrate(database, await readMigrations()),
    /relation "project" already exists; another program uses the database: give Sluice one of its own/,
  );
  assert.equal((await database.query({ text: 'SELECT id FROM project' })).rows.length, 1);
  await database.close();
});
