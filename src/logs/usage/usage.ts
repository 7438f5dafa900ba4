import { type Tenants, within } from '../rows/log-filter.ts';
import { addOthers } from './usage-others.ts';
import type { UsageLine, UsageReport } from './usage-line.ts';
import { type ReaderPorts, reportInTime } from '../query-in-time.ts';
import { rankUsage } from './rank-usage.ts';
import { type UsageFilter, limitTop, selectSums } from './select-usage.ts';
import type { GroupNames } from './usage-lists.ts';
import { type UsageGroup, isTime } from './usage-groups.ts';
import { type UsageColumn, readCounts } from '../rows/usage-columns.ts';
import { type StoredUsageState, USAGE_STATE, readUsageState } from './usage-state.ts';

/** Usage of any period, as exact as the ledger: counted hours, and rows for what is not counted yet. */
export interface UsageReader {
  report(filter: UsageFilter, tenants: Tenants): Promise<UsageReport>;
}

export function createUsageReader(ports: ReaderPorts): UsageReader {
  return {
    report: async (wanted, tenants) => {
      const filter = within(wanted, tenants);
      const { by = [] } = filter;
      const times = by.filter((group) => isTime(group));
      return reportInTime(ports, tenants, async (ask) => {
        const state = readUsageState((await ask<StoredUsageState>(USAGE_STATE))[0]);
        const sumUp = async (by: readonly UsageGroup[], top?: GroupNames[]): Promise<UsageLine[]> => {
          const rows = await ask<StoredLine>(selectSums({ filter: { ...filter, by }, state, top }));
          return rows.map((row) => readLine(row, by));
        };
        if (times.length === by.length) return addUp(await sumUp(by), by);
        const top = await rankUsage(ask, { filter, state });
        if (top.length < limitTop(filter)) return addUp(await sumUp(by), by);
        return addOthers(await sumUp(by, top), { by, times, wholes: await sumUp(times) });
      });
    },
  };
}

/** Lines that leave nothing out. */
const addUp = (lines: readonly UsageLine[], by: readonly UsageGroup[]): UsageReport =>
  addOthers(lines, { by, times: by, wholes: lines });

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
