import { parseMoment } from '#base';
import { type CsvRecord, readCsv } from './csv.ts';
import { type Amounts, type Measure, addTo } from './measures.ts';
import { type ProviderReport, ReportFault, type ReportLine } from './report-line.ts';
import { readCount, readUsd } from './report-values.ts';

const HOUR_MS = 3_600_000;
const WIDTHS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };

const COUNTS: Readonly<Record<string, Measure>> = {
  requests: 'requests',
  input_tokens: 'input',
  cache_read_tokens: 'cache_read',
  cache_write_tokens: 'cache_write',
  cache_write_5m_tokens: 'cache_write_5m',
  cache_write_1h_tokens: 'cache_write_1h',
  output_tokens: 'output',
  web_searches: 'web_searches',
};

/** The meaning of a file's columns. Further columns distinguish lines. */
interface Columns {
  length: number;
  moment: { at: number; widthMs: number | undefined };
  /** By their position. */
  counts: [number, string, Measure][];
  model: number;
  upstreamId: number;
  cost: number;
  facts: [number, string][];
}

/**
 * One line per request, with `time` or `hour`, or one per bucket, with `hour` or `day`. Lines with a `time` and without
 * an `upstream_id` are requests, added up per hour. Throws ReportFault with the line.
 */
export function readCsvReport(name: string, text: string): ProviderReport {
  const [head, ...records] = readCsv(name, text);
  if (!head) throw new ReportFault(name, 'is empty');
  const columns = readHead(name, head);
  const report: ProviderReport = { lines: [], buckets: [], remarks: [] };
  for (const record of records) report.lines.push(readLine(`${name}, line ${record.line}`, record, columns));
  const isSummed = columns.upstreamId === -1 && columns.moment.widthMs === undefined;
  if (isSummed) report.lines = sumHours(report.lines);
  for (const { kind, from, to } of report.lines)
    if (kind !== 'request') report.buckets.push({ from, to, kind });
  return report;
}

function readHead(name: string, { cells, line }: CsvRecord): Columns {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const place = `${name}, line ${line}`;
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) throw new ReportFault(place, `has the column "${twice}" twice`);
  const moments = names.filter((one) => one === 'time' || WIDTHS[one] !== undefined);
  const [moment] = moments;
  if (moment === undefined || moments.length > 1)
    throw new ReportFault(place, 'needs one of the columns time, hour and day');
  const counts = names.flatMap((one, at): [number, string, Measure][] => {
    const measure = COUNTS[one];
    return measure ? [[at, one, measure]] : [];
  });
  const cost = names.indexOf('cost_usd');
  if (cost === -1 && counts.length === 0)
    throw new ReportFault(place, `needs cost_usd or one of ${Object.keys(COUNTS).join(', ')}`);
  const known = new Set([...Object.keys(COUNTS), moment, 'model', 'upstream_id', 'cost_usd']);
  return {
    length: names.length,
    moment: { at: names.indexOf(moment), widthMs: WIDTHS[moment] },
    counts,
    model: names.indexOf('model'),
    upstreamId: names.indexOf('upstream_id'),
    cost,
    facts: names.flatMap((one, at): [number, string][] => (known.has(one) ? [] : [[at, one]])),
  };
}

function readLine(place: string, { cells }: CsvRecord, columns: Columns): ReportLine {
  if (cells.length !== columns.length)
    throw new ReportFault(place, `has ${cells.length} cells instead of ${columns.length}`);
  const moment = parseMoment(cells[columns.moment.at]?.trim() ?? '');
  if (moment === undefined) throw new ReportFault(place, 'its time is not an ISO 8601 time');
  const { widthMs } = columns.moment;
  if (widthMs !== undefined && moment % widthMs !== 0)
    throw new ReportFault(place, 'its time is not the start of a bucket, in UTC');
  const model = cells[columns.model]?.trim() ?? '';
  const upstreamId = cells[columns.upstreamId]?.trim();
  if (upstreamId === '') throw new ReportFault(place, 'has no upstream_id');
  const amounts = readAmounts(place, cells, columns);
  const isOnlyCost = columns.counts.length === 0;
  return {
    place,
    kind: upstreamId !== undefined ? 'request' : isOnlyCost ? 'cost' : 'usage',
    from: moment,
    to: moment + (widthMs ?? 0),
    ...(model !== '' && { model }),
    ...(upstreamId !== undefined && { upstreamId }),
    amounts,
    facts: readFacts(cells, columns),
  };
}

function readFacts(cells: readonly string[], { facts }: Columns): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [at, name] of facts) {
    const text = cells[at] ?? '';
    if (text !== '') found[name] = text;
  }
  return found;
}

function readAmounts(place: string, cells: readonly string[], { counts, cost }: Columns): Amounts {
  const amounts: Amounts = {};
  for (const [at, name, measure] of counts) {
    const text = cells[at]?.trim() ?? '';
    const count = /^\d{1,15}$/.test(text) ? readCount(Number(text)) : undefined;
    if (count === undefined) throw new ReportFault(place, `its ${name} is not a whole number: "${text}"`);
    amounts[measure] = count;
  }
  if (cost === -1) return amounts;
  const text = cells[cost]?.trim() ?? '';
  const usd = readUsd(text);
  if (usd === undefined) throw new ReportFault(place, `its cost_usd is not an amount: "${text}"`);
  return { ...amounts, cost: usd };
}

/** Two requests may be equal: they are added up, and not taken for one line twice. */
function sumHours(lines: readonly ReportLine[]): ReportLine[] {
  const sums = new Map<string, ReportLine>();
  for (const line of lines) {
    const from = Math.floor(line.from / HOUR_MS) * HOUR_MS;
    const key = JSON.stringify([from, line.model, line.facts]);
    const sum = sums.get(key) ?? { ...line, from, to: from + HOUR_MS, amounts: {} };
    addTo(sum.amounts, { requests: 1n, ...line.amounts });
    sums.set(key, sum);
  }
  return [...sums.values()];
}
