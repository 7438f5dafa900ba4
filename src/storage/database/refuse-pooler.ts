import type { Database, Session } from './database.ts';

const READ_SERVER = 'SELECT pg_backend_pid() AS pid';

/**
 * Throws behind a pooler that gives each transaction another connection, as PgBouncer does in its transaction mode:
 * notifications would be lost, and locks of sessions would stay. A session then finds itself on a connection that another
 * session uses, or used before.
 */
export async function refusePooler(database: Database): Promise<void> {
  await using sessions = new AsyncDisposableStack();
  const open = async (): Promise<Session> =>
    sessions.adopt(await database.openSession(), (session) => session.close());
  const [first, second] = [await open(), await open()];
  const before = await readServer(first);
  await second.query({ text: 'BEGIN' });
  const other = await readServer(second);
  await second.query({ text: 'COMMIT' });
  if (other === before || (await readServer(first)) !== before)
    throw new Error(
      'a connection pooler shares connections between sessions (such as PgBouncer with pool_mode = transaction); ' +
        'name PostgreSQL itself, or a pool in session mode',
    );
}

async function readServer(session: Session): Promise<number | undefined> {
  const { rows } = await session.query<{ pid: number }>({ text: READ_SERVER });
  return rows[0]?.pid;
}
