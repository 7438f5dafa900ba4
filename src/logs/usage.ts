import type { Database } from '#storage';
import type { Tenant } from './log-filter.ts';
import { addOthers } from './usage-others.ts';
import type { UsageLine, UsageReport } from './usage-line.ts';
import { queryTogether } from './query-in-time.ts';
import { type UsageFilter, selectUsage } from './select-usage.ts';
import { type UsageGroup, isTime } from './usage-groups.ts';
import { type UsageColumn, readCounts } from './usage-columns.ts';

/** Usage of any period, as exact as the ledger: counted hours, and rows for what is not counted yet. */
export interface UsageBook {
  list(filter: UsageFilter, tenant: Tenant): Promise<UsageLine[]>;
  /** For the operator's own command line. */
  listAsOperator(filter: UsageFilter & Partial<Tenant>): Promise<UsageLine[]>;
  /** The lines, and their total. */
  report(filter: UsageFilter, tenant: Tenant): Promise<UsageReport>;
  reportAsOperator(filter: UsageFilter & Partial<Tenant>): Promise<UsageReport>;
}

export function createUsageBook({ database }: { database: Database }): UsageBook {
  const report = async (filter: UsageFilter & Partial<Tenant>, isLimited: boolean): Promise<UsageReport> => {
    const { by = [] } = filter;
    const times = by.filter((group) => isTime(group));
    const statements = [
      selectUsage(filter),
      ...(times.length < by.length ? [selectUsage({ ...filter, by: times })] : []),
    ];
    const [found = [], wholes] = await queryTogether<StoredLine>(database, statements, { isLimited });
    const lines = found.map((row) => readLine(row, by));
    return addOthers(lines, { by, times, wholes: wholes?.map((row) => readLine(row, times)) ?? lines });
  };
  return {
    report: (filter, { organizationId }) => report({ ...filter, organizationId }, true),
    reportAsOperator: (filter) => report(filter, false),
    list: async (filter, { organizationId }) => (await report({ ...filter, organizationId }, true)).lines,
    listAsOperator: async (filter) => (await report(filter, false)).lines,
  };
}

type StoredLine = Record<UsageColumn, string> & Record<string, string>;

function readLine(row: StoredLine, by: readonly UsageGroup[] = []): UsageLine {
  return {
    group: Object.fromEntries(by.map((name, at) => [name, row[`by_${at}`] ?? ''])),
    isOther: false,
    requests: Number(row['requests']),
    usage: readCounts(row),
    customer: row['customer_cost'] ?? '0',
    provider: row['provider_cost'] ?? '0',
  };
}
