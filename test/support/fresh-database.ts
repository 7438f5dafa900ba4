import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { scratch } from '../../src/accounts/scratch-db.ts';
export interface FreshDatabase extends AsyncDisposable {
  database: any;
  connect(): Promise<any>;
}
export async function openFreshDatabase(): Promise<FreshDatabase> {
  const name = 'sluice_accounts_' + randomBytes(5).toString('hex');
  const admin = new pg.Client('postgres://root@127.0.0.1:5432/postgres');
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = `postgres://root@127.0.0.1:5432/${name}`;
  const opened: any[] = [];
  const connect = async () => {
    const d = await scratch(url);
    opened.push(d);
    return d;
  };
  const database = await connect();
  for (const f of ['0001_accounts', '0002_ledger', '0003_logs'])
    await database.query({
      text: readFileSync(new URL(`../../src/storage/migrations/${f}.sql`, import.meta.url), 'utf8'),
    });
  return {
    database,
    connect,
    [Symbol.asyncDispose]: async () => {
      for (const d of opened) await d.close();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
