import type { Catalogue } from '#catalogue';
import type { ReportPorts } from '#reports';
import type { Stores } from './stores/stores.ts';
import { type Availability, createUsableFilter } from '#accounts';
import { AlertStore, StateStore } from '#alerts';
import { CursorStore } from '#exports';

interface Installation {
  catalogue(): Catalogue | Promise<Catalogue>;
  /** What the gateways can call now. */
  readAvailability(): Promise<Availability>;
}

/** What reports read: the same for gateways and commands. */
export function composeReportPorts(stores: Stores, installation: Installation): ReportPorts {
  const { accounts, bills, cacheMisses, database, experiments, latency, prompts } = stores;
  const { logs, payloads, sessions, usage } = stores;
  const { directory } = accounts;
  return {
    bills,
    cacheMisses,
    directory,
    experiments,
    latency,
    logs,
    payloads,
    prompts,
    sessions,
    usage,
    catalogue: () => installation.catalogue(),
    findUsable: async (of) => createUsableFilter(directory, await installation.readAvailability(), of),
    listAlerts: async (limit) => ({
      conditions: await new StateStore(database).listOpen(limit),
      alerts: await new AlertStore(database).list(limit),
    }),
    listExports: () => new CursorStore(database).list(),
  };
}
