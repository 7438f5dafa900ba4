import type { Database } from '#storage';
import type { Usage } from '#canonical';
import type { Tenant } from './log-filter.ts';
import { queryInTime } from './query-in-time.ts';
import { type UsageFilter, type UsageGroup, selectUsage } from './select-usage.ts';
import { type UsageColumn, readCounts } from './usage-columns.ts';

/** The usage and cost of some requests. */
export interface UsageLine {
  /** The values the line is grouped by; an unknown model or provider is ''. */
  group: Partial<Record<UsageGroup, string>>;
  requests: number;
  usage: Usage;
  /** Pico-USD in decimal digits. */
  customer: string;
  provider: string;
}

/** Usage of any period, as exact as the ledger: counted hours, and rows for what is not counted yet. */
export interface UsageBook {
  list(filter: UsageFilter, tenant: Tenant): Promise<UsageLine[]>;
  /** For the operator's own command line. */
  listAsOperator(filter: UsageFilter & Partial<Tenant>): Promise<UsageLine[]>;
}

export function createUsageBook({ database }: { database: Database }): UsageBook {
  return {
    list: async (filter, { organizationId }) =>
      (await queryInTime<StoredLine>(database, selectUsage({ ...filter, organizationId }))).map((row) =>
        readLine(row, filter.by),
      ),
    listAsOperator: async (filter) =>
      (await database.query<StoredLine>(selectUsage(filter))).rows.map((row) => readLine(row, filter.by)),
  };
}

type StoredLine = Record<UsageColumn, string> & Record<string, string>;

function readLine(row: StoredLine, by: readonly UsageGroup[] = []): UsageLine {
  return {
    group: Object.fromEntries(by.map((name) => [name, row[`by_${name}`] ?? ''])),
    requests: Number(row['requests']),
    usage: readCounts(row),
    customer: row['customer_cost'] ?? '0',
    provider: row['provider_cost'] ?? '0',
  };
}
