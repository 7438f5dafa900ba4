import type { ReportPorts } from '#reports';
import type { Stores } from '../lifecycle/stores/stores.ts';
import type { SettingsOrigin } from '../settings/settings.ts';
import { composeReportPorts } from '../lifecycle/compose-report-ports.ts';
import { loadByokTerms } from './byok-terms.ts';
import { readAvailability } from './read-availability.ts';

/** What reports of commands read. */
export const composeReports = (stores: Stores, origin: SettingsOrigin): ReportPorts =>
  composeReportPorts(stores, {
    catalogue: async () => (await loadByokTerms(origin, stores.database)).catalogue,
    readAvailability: () => readAvailability(origin, stores.database),
  });
