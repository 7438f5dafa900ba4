import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import type { Database, Session } from './database.ts';
import { refusePooler } from './refuse-pooler.ts';

/** Sessions behind a pooler: each statement runs on the connection that `choose` gives it. */
function pool(database: Database, choose: () => Session): Database {
  const session = (): Session => ({
    query: (statement) => choose().query(statement),
    onEnd: () => undefined,
    close: async () => undefined,
  });
  return new Proxy(database, {
    get: (target, name) =>
      name === 'openSession' ? async () => session() : (Reflect.get(target, name) as unknown),
  });
}

test('a pooler that gives each transaction another connection is refused, PostgreSQL itself is not', async () => {
  await using fresh = await openFreshDatabase();
  const { database } = fresh;
  await refusePooler(database);
  const connections = [await database.openSession(), await database.openSession()] as const;
  const [latest] = connections;
  let turn = 0;
  for (const choose of [() => latest, () => connections[(turn = (turn + 1) % 2)] ?? latest])
    await assert.rejects(refusePooler(pool(database, choose)), /pool_mode = transaction.*session mode/);
  for (const one of connections) await one.close();
});

test('a server that has one connection left keeps none of it', async () => {
  await using fresh = await openFreshDatabase();
  const opened: Session[] = [];
  let closed = 0;
  const short = new Proxy(fresh.database, {
    get: (target, name) =>
      name === 'openSession'
        ? async () => {
            if (opened.length > 0) throw new Error('too many clients already');
            const session = await target.openSession();
            session.onEnd(() => (closed += 1));
            opened.push(session);
            return session;
          }
        : (Reflect.get(target, name) as unknown),
  });
  await assert.rejects(refusePooler(short), /too many clients/);
  assert.equal(closed, 1);
});
