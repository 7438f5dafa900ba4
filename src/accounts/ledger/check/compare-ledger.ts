import type { Database, Session } from '#storage';
import type { LedgerDifference } from '../ledger.ts';
import { checkCosts } from './check-costs.ts';

/** Checking a long ledger takes longer than a request's statement may. */
const LIMITS = `SELECT set_config('statement_timeout', '3600s', false), set_config('work_mem', '64MB', false)`;
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** So many differences of each part are listed. */
const MOST_LISTED = 250;

/** The difference in one part of the ledger. */
interface FoundDifferences {
  listed: LedgerDifference[];
  /** Includes those that are not listed. */
  count: number;
}

type Part = (session: Session) => Promise<FoundDifferences>;

const run =
  (...functions: string[]): Part =>
  async (session) => {
    const each = functions.map((name) => `SELECT * FROM ${name}()`).join(' UNION ALL ');
    const { rows } = await session.query<LedgerDifference & { count: string }>({
      text: `SELECT what, subject, expected, actual, count(*) OVER () FROM (${each}) AS difference LIMIT $1`,
      values: [MOST_LISTED],
    });
    return {
      listed: rows.map(({ what, subject, expected, actual }) => ({ what, subject, expected, actual })),
      count: Number(rows[0]?.count ?? 0),
    };
  };

/** About equal amounts of work: they run in parallel. */
const PARTS: readonly Part[] = [
  run('ledger_check', 'ledger_check_rows', 'ledger_check_jobs'),
  run('ledger_check_entries'),
  run('request_log_check', 'usage_detail_check', 'usage_day_check'),
  (session) => checkCosts(session, MOST_LISTED),
];

/** Recomputes the ledger, on connections of its own that share one snapshot. */
export async function compareLedger(database: Database): Promise<LedgerDifference[]> {
  const sessions: Session[] = [];
  try {
    // All are open before the first check runs, because one that fails closes them.
    const parts = await openParts(database, sessions);
    return joinFound(await Promise.all(parts.map((check) => check())));
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

async function openParts(
  database: Database,
  sessions: Session[],
): Promise<(() => Promise<FoundDifferences>)[]> {
  const parts: (() => Promise<FoundDifferences>)[] = [];
  let snapshot: string | undefined;
  for (const check of PARTS) {
    const session = await database.openSession('sluice ledger check');
    sessions.push(session);
    await session.query({ text: LIMITS });
    await session.query({ text: BEGIN });
    if (snapshot === undefined) snapshot = await exportSnapshot(session);
    else await session.query({ text: `SET TRANSACTION SNAPSHOT '${snapshot}'` });
    parts.push(() => check(session));
  }
  return parts;
}

/** The listed differences, and an entry with the number of the others. */
function joinFound(found: readonly FoundDifferences[]): LedgerDifference[] {
  const listed = found.flatMap((part) => part.listed);
  const rest = found.reduce((sum, { count }) => sum + count, 0) - listed.length;
  if (rest === 0) return listed;
  return [
    ...listed,
    { what: 'further differences', subject: 'not listed', expected: '0', actual: String(rest) },
  ];
}

async function exportSnapshot(session: Session): Promise<string> {
  const { rows } = await session.query<{ id: string }>({ text: 'SELECT pg_export_snapshot() AS id' });
  return rows[0]?.id ?? '';
}
