import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readOne } from '../../../test/support/embedded-server.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openPatiently } from '../../../test/support/open-patiently.ts';
import { readMigrations } from './read-migrations.ts';

const url = process.env['SLUICE_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/postgres';

function open(address: string): Database {
  return openPatiently({ connection: { url: address }, applicationName: 'sluice external test' });
}

async function findSkip(): Promise<string | false> {
  const database = open(url);
  try {
    await database.ping(10_000); // a busy machine must not leave the tests out
    return false;
  } catch {
    return 'no PostgreSQL answers at SLUICE_TEST_DATABASE_URL or 127.0.0.1:5432';
  } finally {
    await database.close();
  }
}

test(
  'an external PostgreSQL (15 or newer) serves as well: migrations, notifications, transactions',
  { skip: await findSkip() },
  async () => {
    const admin = open(url);
    const name = `sluice_external_${randomBytes(6).toString('hex')}`;
    await admin.query({ text: `CREATE DATABASE ${name}` });
    const database = open(Object.assign(new URL(url), { pathname: `/${name}` }).href);
    try {
      const migrations = await readMigrations();
      assert.equal((await migrate(database, migrations)).length, migrations.length);
      assert.deepEqual(await migrate(database, migrations), []);
      const { promise, resolve } = Promise.withResolvers<string>();
      const subscription = await database.listen('news', resolve, () => undefined);
      await database.transaction((client) => client.query({ text: "SELECT pg_notify('news', 'hello')" }));
      assert.equal(await promise, 'hello');
      await subscription.close();
      assert.equal(await readOne(database, 'SELECT count(*) FROM project'), 0n);
    } finally {
      await database.close();
      await admin.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await admin.close();
    }
  },
);
