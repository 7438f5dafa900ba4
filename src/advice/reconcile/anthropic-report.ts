import { type JsonObject, isJsonObject, parseMoment } from '#base';
import { type Amounts, type Measure } from './measures.ts';
import { isUsd, readCounts, readFacts, readUsd } from './report-values.ts';
import { type ProviderReport, ReportFault, type ReportFormat, type ReportLine } from './report-line.ts';

/** An amount is in hundredths of a USD. */
const CENTS = 2;
/** Members that are no dimensions of a line. */
const VALUES = new Set([
  'amount',
  'list_amount',
  'currency',
  'requests',
  'uncached_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
  'output_tokens',
  'server_tool_use',
]);

/**
 * Both of Anthropic's APIs: `usage_report/messages` and `cost_report` have buckets with results, `analytics/usage` and
 * `analytics/cost` a row per bucket and group.
 */
export const readAnthropicEntry: ReportFormat = (report, place, entry) => {
  const bounds = { from: readTime(entry, 'starting_at', place), to: readTime(entry, 'ending_at', place) };
  const { results, group, usage, cost } = entry;
  if (Array.isArray(results)) {
    for (const [at, result] of results.entries()) {
      const own = `${place}.results[${at}]`;
      if (!isJsonObject(result)) throw new ReportFault(own, 'is no object');
      add(report, { place: own, ...bounds }, { values: result, facts: result });
    }
    if (results.length === 0) addEmptyBucket(report, bounds);
    return [];
  }
  const values = isJsonObject(usage) ? usage : cost;
  if (!isJsonObject(group) || !isJsonObject(values))
    throw new ReportFault(
      place,
      'is neither a bucket with "results" nor a row with "group" and "usage" or "cost"',
    );
  add(report, { place, ...bounds }, { values, facts: group });
  return [];
};

/** An empty bucket may be of either report: it is only known to be covered where the other buckets of its width are. */
function addEmptyBucket(report: ProviderReport, bounds: { from: number; to: number }): void {
  const kind = report.lines.at(-1)?.kind === 'cost' ? 'cost' : 'usage';
  report.buckets.push({ ...bounds, kind });
}

function add(
  report: ProviderReport,
  at: Pick<ReportLine, 'place' | 'from' | 'to'>,
  { values, facts }: { values: JsonObject; facts: JsonObject },
): void {
  const isCost = values['amount'] !== undefined;
  const kind = isCost ? ('cost' as const) : ('usage' as const);
  const model = facts['model'];
  report.buckets.push({ from: at.from, to: at.to, kind });
  report.lines.push({
    ...at,
    kind,
    ...(typeof model === 'string' && { model }),
    ...(isCost ? readCost(values, at.place) : { amounts: readUsage(values, at.place) }),
    facts: readFacts(facts, VALUES),
  });
}

function readCost(values: JsonObject, place: string): Pick<ReportLine, 'amounts' | 'listCost'> {
  const cost = readUsd(values['amount'], CENTS);
  if (cost === undefined || !isUsd(values['currency'] ?? 'USD'))
    throw new ReportFault(place, 'its amount is not an amount of USD');
  const listCost = readUsd(values['list_amount'], CENTS);
  return { amounts: { cost }, ...(listCost !== undefined && { listCost }) };
}

function readUsage(values: JsonObject, place: string): Amounts {
  const written = isJsonObject(values['cache_creation']) ? values['cache_creation'] : {};
  const tools = isJsonObject(values['server_tool_use']) ? values['server_tool_use'] : {};
  const counts: [Measure, unknown][] = [
    ['input', values['uncached_input_tokens']],
    ['cache_read', values['cache_read_input_tokens']],
    ['cache_write_5m', written['ephemeral_5m_input_tokens']],
    ['cache_write_1h', written['ephemeral_1h_input_tokens']],
    ['output', values['output_tokens']],
    ['web_searches', tools['web_search_requests']],
    ['requests', values['requests']],
  ];
  return readCounts(counts, place);
}

function readTime(entry: JsonObject, name: string, place: string): number {
  const value = entry[name];
  const moment = typeof value === 'string' ? parseMoment(value) : undefined;
  if (moment === undefined) throw new ReportFault(place, `its "${name}" is no time`);
  return moment;
}
