import type { LogFilter, Tenant } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { type ReaderPorts, queryInTime } from './query-in-time.ts';
import { type StoredRow, readRow } from './read-row.ts';
import { type Select, selectOne, selectRows } from './select-rows.ts';

/** The request log. */
export interface Logs {
  find(requestId: string, tenant: Tenant): Promise<LogRow | undefined>;
  /** Newest first. Throws `invalid_request` if a filter leaves so many rows to read that it takes too long. */
  list(filter: LogFilter, tenant: Tenant): Promise<LogRow[]>;
  /** For the operator's own command line: every organization's rows. */
  findAsOperator(requestId: string): Promise<LogRow | undefined>;
  listAsOperator(filter: LogFilter & Partial<Tenant>): Promise<LogRow[]>;
}

export function createLogs(ports: ReaderPorts): Logs {
  const read = async (statement: Select): Promise<LogRow[]> => {
    const { rows } = await ports.database.query<StoredRow>(statement);
    return rows.map(readRow);
  };
  const readInTime = async (statement: Select): Promise<LogRow[]> =>
    (await queryInTime<StoredRow>(ports, statement)).map(readRow);
  return {
    find: async (requestId, tenant) => (await read(selectOne(requestId, tenant)))[0],
    list: async (filter, { organizationId }) => readInTime(selectRows({ ...filter, organizationId })),
    findAsOperator: async (requestId) => (await read(selectOne(requestId)))[0],
    listAsOperator: (filter) => readInTime(selectRows(filter)),
  };
}
