import { readFileSync } from 'node:fs';
import type { Database, Session } from '#storage';

/** The processor time of a database connection’s process, in milliseconds, and the time on the wall. */
export async function createStopwatch(
  session: Session,
): Promise<(work: () => Promise<unknown>) => Promise<[number, number]>> {
  const { rows } = await session.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const read = (): number => {
    const fields = readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ');
    return Number(fields[0]) / 1e6;
  };
  return async (work) => {
    const [cpuMs, wallMs] = [read(), performance.now()];
    await work();
    return [read() - cpuMs, performance.now() - wallMs];
  };
}

/** A database of this one connection, whose processor time is measured. */
export function toDatabase(session: Session): Database {
  const transaction = async <Result>(run: (session: Session) => Promise<Result>): Promise<Result> => {
    await session.query({ text: 'BEGIN' });
    try {
      return await run(session);
    } finally {
      await session.query({ text: 'COMMIT' });
    }
  };
  return { query: session.query.bind(session), transaction } as unknown as Database;
}
