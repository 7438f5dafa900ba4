import { type Directory, holdsReport, namesReport } from '#accounts';
import { type AdvicePorts, adviceReport, whatIfReport } from '#advice';
import { type AlertPorts, alertsReport } from '#alerts';
import { type ExportPorts, exportsReport } from '#exports';
import type { Report } from '#fields';
import {
  type CacheMisses,
  type Experiments,
  type LatencyReader,
  cacheMissesReport,
  type Logs,
  type Payloads,
  type Sessions,
  type UsageReader,
  experimentsReport,
  latencyReport,
  logReport,
  logsReport,
  payloadReport,
  sessionReport,
  sessionsReport,
  usageReport,
} from '#logs';

/** The stores that reports read. */
export interface ReportPorts extends AdvicePorts, AlertPorts, ExportPorts {
  directory: Pick<Directory, 'listNames' | 'sumHolds'>;
  cacheMisses: CacheMisses;
  experiments: Experiments;
  latency: LatencyReader;
  logs: Logs;
  payloads: Pick<Payloads, 'find'>;
  sessions: Sessions;
  usage: UsageReader;
}

/** Any of the reports. */
export type AnyReport = Report<ReportPorts, unknown, unknown>;

/** Endpoints and commands are generated from this list. */
export const REPORTS: readonly AnyReport[] = [
  usageReport,
  latencyReport,
  holdsReport,
  namesReport,
  logsReport,
  logReport,
  payloadReport,
  sessionsReport,
  whatIfReport,
  sessionReport,
  cacheMissesReport,
  experimentsReport,
  adviceReport,
  exportsReport,
  alertsReport,
];
