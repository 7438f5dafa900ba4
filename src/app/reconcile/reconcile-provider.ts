import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { PicoUsd } from '#base';
import type { Catalogue } from '#catalogue';
import type { Stores } from '../lifecycle/stores/stores.ts';
import type { SettingsOrigin } from '../settings/settings.ts';
import {
  type Reconciliation,
  type ProviderReport,
  ReportFault,
  type ReportLine,
  type ReportSource,
  readCsvReport,
  readJsonReport,
  reconcile,
} from '#advice';
import { systemClock, formatCount } from '#base';
import { createProviderReader } from '#logs';
import { createReportReader } from '#providers';
import { readEffectiveCatalogue } from '../feed/effective-catalogue.ts';
import { suggestProvider } from '../settings/closest.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { readVariablesFromFiles } from '../settings/file/secret-file.ts';
import { BASE_URLS, type ExportFilter, fetchPages, toHeaders } from './fetch-report.ts';

export interface ReconcileRequest extends ExportFilter {
  source: ReportSource | 'csv';
  providerId: string;
  /** Without files the export is fetched. */
  files: readonly string[];
  baseUrl?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
  tolerance: PicoUsd;
}

const MOST_FILE_BYTES = 256 * 1024 * 1024;
const HOUR_MS = 3_600_000;
const USUAL_SPAN_MS = 7 * 24 * HOUR_MS;
const KEYS: Record<ReportSource, string> = { anthropic: 'ANTHROPIC_ADMIN_KEY', openai: 'OPENAI_ADMIN_KEY' };
/** Widths of the buckets that are fetched. */
const WIDTHS: Record<ReportSource, ProviderReport['widths']> = {
  anthropic: { usage: HOUR_MS, cost: HOUR_MS },
  openai: { usage: HOUR_MS },
};

/** Compares a provider's export, from files or its administration API, with the rows of this gateway. */
export async function reconcileProvider(
  origin: SettingsOrigin,
  { database, logs }: Pick<Stores, 'database' | 'logs'>,
  request: ReconcileRequest,
): Promise<Reconciliation> {
  const { providerId, tolerance } = request;
  const catalogue = await readEffectiveCatalogue(await loadSettings(origin, 'show'), database);
  if (!catalogue.providers.has(providerId)) await refuseUnknown(providerId, { catalogue, logs });
  const { since, until, report, asOf } = await readExport(origin, request);
  const question = { providerId, tolerance, report: filterLines(report, request), since, until, asOf };
  return await reconcile({ log: createProviderReader({ database, reader: 'command' }), catalogue }, question);
}

/** A provider that is no longer configured may still have answered requests. */
async function refuseUnknown(
  providerId: string,
  { catalogue, logs }: { catalogue: Catalogue; logs: Stores['logs'] },
): Promise<void> {
  if ((await logs.list({ providerId, limit: 1 }, 'all')).length > 0) return;
  const hint = suggestProvider(providerId, catalogue.providers.keys());
  throw new Error(`there is no provider "${providerId}", and none answered a request here; ${hint}`);
}

interface Export {
  since: number | undefined;
  until: number | undefined;
  report: ProviderReport;
  asOf: number;
}

async function readExport(origin: SettingsOrigin, request: ReconcileRequest): Promise<Export> {
  const { source, files, since, until } = request;
  if (files.length > 0) return { since, until, ...readFiles(source, files) };
  if (source === 'csv') throw new Error('name a CSV file');
  const now = systemClock.now();
  const span = {
    since: Math.floor((since ?? now - USUAL_SPAN_MS) / HOUR_MS) * HOUR_MS,
    until: Math.floor((until ?? now) / HOUR_MS) * HOUR_MS,
  };
  if (span.since >= span.until)
    throw new Error(
      since === undefined
        ? '--until is before the usual start, 7 days ago; name one with --since'
        : 'the time has no complete hour',
    );
  const report = await fetchReport(origin, { ...request, ...span, source });
  return { ...span, report, asOf: now };
}

async function fetchReport(
  { environment = process.env }: SettingsOrigin,
  request: ReconcileRequest & { source: ReportSource; since: number; until: number },
): Promise<ProviderReport> {
  const { source, baseUrl = BASE_URLS[source], since, until, apiKeyIds, partIds } = request;
  const key = readVariablesFromFiles(environment)[KEYS[source]]?.trim();
  if (!key)
    throw new Error(
      `set ${KEYS[source]} to an administration key, or name the files of an export with --file`,
    );
  const reader = createReportReader(toHeaders(source, key));
  try {
    const filter = { apiKeyIds, partIds };
    const pages = await fetchPages(reader, { source, baseUrl, since, until, filter });
    const report = readJsonReport(source, pages);
    return { ...report, widths: WIDTHS[source] ?? {} };
  } finally {
    await reader.close();
  }
}

/** An export is as old as its files. */
function readFiles(source: ReportSource | 'csv', files: readonly string[]): Pick<Export, 'report' | 'asOf'> {
  let asOf = systemClock.now();
  const documents = files.map((path) => {
    const { size, mtimeMs } = statSync(path);
    if (size > MOST_FILE_BYTES) throw new Error(`${path} is larger than 256 MiB`);
    asOf = Math.min(asOf, mtimeMs);
    return { name: basename(path), text: readFileSync(path, 'utf8') };
  });
  if (source !== 'csv') return { asOf, report: readJsonReport(source, documents) };
  const reports = documents.map(({ name, text }) => readCsvReport(name, text));
  return {
    asOf,
    report: {
      lines: reports.flatMap(({ lines }) => lines),
      buckets: reports.flatMap(({ buckets }) => buckets),
      remarks: reports.flatMap(({ remarks }) => remarks),
    },
  };
}

/** Keeps the lines of some keys and parts of the account. What is fetched is filtered by the provider. */
function filterLines(
  report: ProviderReport,
  { files, apiKeyIds, partIds }: ReconcileRequest,
): ProviderReport {
  if (files.length === 0 || (apiKeyIds === undefined && partIds === undefined)) return report;
  const wanted: [string[], readonly string[] | undefined][] = [
    [['api_key_id'], apiKeyIds],
    [['workspace_id', 'project_id'], partIds],
  ];
  const remarks = [...report.remarks];
  const lacking = report.lines.filter((line) =>
    wanted.some(([names, ids]) => ids && findFact(line, names) === undefined),
  );
  const lines = report.lines.filter((line) =>
    wanted.every(([names, ids]) => !ids || ids.includes(findFact(line, names) ?? '')),
  );
  const [first] = lacking;
  if (first && lines.length === 0)
    throw new ReportFault(
      first.place,
      'is not grouped by the field of the filter: api_key_id, workspace_id or project_id',
    );
  if (first)
    remarks.push(
      `not compared: ${formatCount(lacking.length, 'line')} without an id to filter by, such as ${first.place}`,
    );
  const kinds = new Set(lines.map(({ kind }) => kind));
  return { ...report, lines, remarks, buckets: report.buckets.filter(({ kind }) => kinds.has(kind)) };
}

const findFact = ({ facts }: ReportLine, names: readonly string[]): string | undefined =>
  names.map((name) => facts[name]).find((value) => value !== undefined);
