import type { Statement } from '#storage';
import { type LogFilter, type Tenants, within } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { type ReaderPorts, queryInTime } from '../query-in-time.ts';
import { type StoredRow, readRow } from './read-row.ts';
import { explainRows, selectOne, selectRows } from './select-rows.ts';

/** The request log. */
export interface Logs {
  find(requestId: string, tenants: Tenants): Promise<LogRow | undefined>;
  /** Newest first. Throws `invalid_request` if a filter leaves so many rows to read that it takes too long. */
  list(filter: LogFilter, tenants: Tenants): Promise<LogRow[]>;
}

/** Fewer rows than this are sorted sooner than the index of each organization is searched for them. */
const FEW_ROWS = 1_000;

/** What PostgreSQL expects of a statement. */
interface ExplainedRows {
  'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
}

export function createLogs(ports: ReaderPorts): Logs {
  const read = async (statement: Statement): Promise<LogRow[]> => {
    const { rows } = await ports.database.query<StoredRow>(statement);
    return rows.map(readRow);
  };
  const isRare = async (filter: LogFilter): Promise<boolean> => {
    const explained = explainRows(filter);
    if (explained === undefined) return false;
    const { rows } = await ports.database.query<ExplainedRows>(explained);
    return (rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? Infinity) < FEW_ROWS;
  };
  return {
    find: async (requestId, tenants) => (await read(selectOne(requestId, tenants)))[0],
    list: async (filter, tenants) => {
      const own = within(filter, tenants);
      const statement = selectRows(own, await isRare(own));
      return (await queryInTime<StoredRow>(ports, tenants, statement)).map(readRow);
    },
  };
}
