import type { Statement } from '#storage';
import { type LogFilter, type Tenants, within } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { type ReaderPorts, queryInTime } from './query-in-time.ts';
import { type StoredRow, readRow } from './read-row.ts';
import { selectOne, selectRows } from './select-rows.ts';

/** The request log. */
export interface Logs {
  find(requestId: string, tenants: Tenants): Promise<LogRow | undefined>;
  /** Newest first. Throws `invalid_request` if a filter leaves so many rows to read that it takes too long. */
  list(filter: LogFilter, tenants: Tenants): Promise<LogRow[]>;
}

export function createLogs(ports: ReaderPorts): Logs {
  const read = async (statement: Statement): Promise<LogRow[]> => {
    const { rows } = await ports.database.query<StoredRow>(statement);
    return rows.map(readRow);
  };
  return {
    find: async (requestId, tenants) => (await read(selectOne(requestId, tenants)))[0],
    list: async (filter, tenants) => {
      const statement = selectRows(within(filter, tenants));
      return (await queryInTime<StoredRow>(ports, tenants, statement)).map(readRow);
    },
  };
}
