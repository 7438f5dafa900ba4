import type { UpkeepTools } from './retention.ts';
import { tryChange } from './retention.ts';

/** A summary waits for the next pass while its lock is held. */
const LOCK_TIMEOUT = '50ms';

/**
 * Builds the indexes that a month gets once it is over, one month per pass, without blocking writers; returns their
 * number. An index that was cut short is built again.
 */
export async function closeMonths({ session, signal }: UpkeepTools): Promise<number> {
  const { rows } = await session.query<{ statement: string }>({
    text: 'SELECT statement FROM log_month_work() AS statement',
  });
  if (rows.length === 0) return 0;
  await session.query({ text: 'SET statement_timeout = 0' }); // an index of a large month takes its time
  for (const { statement } of rows) {
    if (signal.aborted) break;
    await session.query({ text: statement });
  }
  return rows.filter(({ statement }) => statement.startsWith('CREATE')).length;
}

/**
 * Adds the newest rows to the BRIN indexes. Autovacuum does so, too, but at many rows a second it skips some of them, and
 * queries would read those one by one.
 */
export async function summarizeBlocks({ session }: UpkeepTools): Promise<void> {
  await session.query({ text: `SET lock_timeout = '${LOCK_TIMEOUT}'` });
  try {
    await tryChange(session, {
      text: `SELECT sum(brin_summarize_new_values(i.indexrelid)) FROM pg_index i
        JOIN pg_inherits h ON h.inhrelid = i.indexrelid WHERE h.inhparent IN ('request_log_blocks'::regclass, 'request_log_names'::regclass, 'request_log_positions'::regclass)`,
    });
  } finally {
    await session.query({ text: 'SET lock_timeout = 0' });
  }
}
