import { type JsonObject, type JsonValue, isJsonObject, parseJson, formatCount } from '#base';
import { readAnthropicEntry } from './anthropic-report.ts';
import { readOpenaiEntry } from './openai-report.ts';
import { type ProviderReport, ReportFault, type ReportFormat } from './report-line.ts';

const FORMATS: Record<'anthropic' | 'openai', ReportFormat> = {
  anthropic: readAnthropicEntry,
  openai: readOpenaiEntry,
};

export type ReportSource = keyof typeof FORMATS;

/** A document as an administration API returns it, or an array of them. */
interface Document {
  name: string;
  text: string;
}

/** Reads pages of usage and cost reports, distinguished by their content. Throws ReportFault. */
export function readJsonReport(source: ReportSource, documents: readonly Document[]): ProviderReport {
  const report: ProviderReport = { lines: [], buckets: [], remarks: [] };
  const left = new Map<string, number>();
  const pages = documents.flatMap(({ name, text }) => listPages(name, parseJson(text)));
  for (const [place, { data }] of pages) {
    if (!Array.isArray(data)) throw new ReportFault(place, 'has no array "data"');
    const unread = data.flatMap((entry, at) =>
      readEntry(source, report, { place: `${place}: data[${at}]`, entry }),
    );
    for (const what of unread) left.set(what, (left.get(what) ?? 0) + 1);
  }
  for (const [what, count] of left)
    report.remarks.push(`not compared: ${formatCount(count, 'result')} of ${what}`);
  // Each report ends with one page that has no more.
  if (pages.length > 0 && pages.every(([, page]) => page['has_more'] === true))
    report.remarks.push('the last page is missing: every page has_more');
  return report;
}

function readEntry(
  source: ReportSource,
  report: ProviderReport,
  { place, entry }: { place: string; entry: JsonValue },
): string[] {
  if (!isJsonObject(entry)) throw new ReportFault(place, 'is no object');
  return FORMATS[source](report, place, entry);
}

function listPages(name: string, value: JsonValue | undefined): [string, JsonObject][] {
  if (value === undefined) throw new ReportFault(name, 'is not JSON');
  if (isJsonObject(value)) return [[name, value]];
  if (!Array.isArray(value)) throw new ReportFault(name, 'is not a page of an administration API');
  return value.map((page, at) => {
    if (!isJsonObject(page))
      throw new ReportFault(`${name}[${at}]`, 'is not a page of an administration API');
    return [`${name}[${at}]`, page];
  });
}
