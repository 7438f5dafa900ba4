import type { Database, Session } from '#storage';
import type { LedgerDifference } from './ledger.ts';
import { checkCosts } from './check-costs.ts';

/** Checking old books takes longer than a request's statement may. */
const LIMITS = `SELECT set_config('statement_timeout', '3600s', false), set_config('work_mem', '64MB', false)`;
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

type Part = (session: Session) => Promise<LedgerDifference[]>;

const run =
  (...functions: string[]): Part =>
  async (session) => {
    const text = functions.map((name) => `SELECT * FROM ${name}()`).join(' UNION ALL ');
    return (await session.query<LedgerDifference>({ text })).rows;
  };

/** About equal amounts of work: they run in parallel. */
const PARTS: readonly Part[] = [
  run('ledger_check', 'ledger_check_rows', 'ledger_check_jobs'),
  run('ledger_check_entries'),
  run('request_log_check', 'usage_detail_check', 'usage_day_check'),
  checkCosts,
];

/** Recomputes the books, on connections of its own that share one snapshot. */
export async function compareLedger(database: Database): Promise<LedgerDifference[]> {
  const sessions: Session[] = [];
  const open = async (): Promise<Session> => {
    const session = await database.openSession('sluice ledger check');
    sessions.push(session);
    await session.query({ text: LIMITS });
    await session.query({ text: BEGIN });
    return session;
  };
  try {
    const snapshot = await exportSnapshot(await open());
    const found = await Promise.all(
      PARTS.map(async (check) => {
        const session = await open();
        await session.query({ text: `SET TRANSACTION SNAPSHOT '${snapshot}'` });
        return check(session);
      }),
    );
    return found.flat();
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

async function exportSnapshot(session: Session): Promise<string> {
  const { rows } = await session.query<{ id: string }>({ text: 'SELECT pg_export_snapshot() AS id' });
  return rows[0]?.id ?? '';
}
