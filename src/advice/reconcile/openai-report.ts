import { type JsonObject, isJsonObject } from '#base';
import { type Amounts } from './measures.ts';
import { type ProviderReport, ReportFault, type ReportFormat, type ReportLine } from './report-line.ts';
import { isUsd, readCounts, readFacts, readUsd } from './report-values.ts';

const USAGE = 'organization.usage.completions.result';
const COSTS = 'organization.costs.result';
const VALUES = /^(?:object|amount|quantity|quantity_unit|num_model_requests|(?:input|output)_.*tokens)$/;

/** Buckets of `usage/completions` and `costs`. Usage of other media is not compared. */
export const readOpenaiEntry: ReportFormat = (report, place, entry) => {
  const { start_time: start, end_time: end, results } = entry;
  if (!isSeconds(start) || !isSeconds(end) || !Array.isArray(results))
    throw new ReportFault(place, 'is not a bucket with "start_time", "end_time" and "results"');
  const bounds = { from: start * 1_000, to: end * 1_000 };
  const unread: string[] = [];
  for (const [at, result] of results.entries()) {
    const own = `${place}.results[${at}]`;
    if (!isJsonObject(result)) throw new ReportFault(own, 'is no object');
    if (result['object'] === USAGE) addUsage(report, { place: own, ...bounds }, result);
    else if (result['object'] === COSTS) addCost(report, { place: own, ...bounds }, result);
    else unread.push(typeof result['object'] === 'string' ? result['object'] : 'no known object');
  }
  if (results.length === 0) {
    const kind = report.lines.at(-1)?.kind === 'cost' ? 'cost' : 'usage';
    report.buckets.push({ ...bounds, kind });
  }
  return unread;
};

type LinePlace = Pick<ReportLine, 'place' | 'from' | 'to'>;

function addUsage(report: ProviderReport, at: LinePlace, result: JsonObject): void {
  const model = result['model'];
  report.buckets.push({ from: at.from, to: at.to, kind: 'usage' });
  report.lines.push({
    ...at,
    kind: 'usage',
    ...(typeof model === 'string' && { model }),
    amounts: readUsage(result, at.place),
    facts: readOwnFacts(result),
  });
}

/** `input_tokens` includes cache reads and cache writes. */
function readUsage(result: JsonObject, place: string): Amounts {
  const { input_tokens: all, input_cached_tokens: read, input_cache_write_tokens: written } = result;
  const {
    cache_read = 0n,
    cache_write,
    ...rest
  } = readCounts(
    [
      ['input_and_cache_write', all],
      ['cache_read', read],
      ['cache_write', written],
      ['output', result['output_tokens']],
      ['requests', result['num_model_requests']],
    ],
    place,
  );
  const { input_and_cache_write: input, ...others } = rest;
  if (input === undefined || input < cache_read + (cache_write ?? 0n))
    throw new ReportFault(place, 'its input_tokens do not include its cached tokens');
  return cache_write === undefined
    ? { ...others, input_and_cache_write: input - cache_read, cache_read }
    : { ...others, input: input - cache_read - cache_write, cache_read, cache_write };
}

/** A line item is a model and a kind of token, such as `gpt-5.4, cached input`, or something without a model. */
function addCost(report: ProviderReport, at: LinePlace, result: JsonObject): void {
  const { amount, line_item: item } = result;
  const { value, currency = 'usd' } = isJsonObject(amount) ? amount : {};
  const cost = readUsd(value);
  if (cost === undefined || !isUsd(currency))
    throw new ReportFault(at.place, 'its amount is not an amount of USD');
  const [, model] = typeof item === 'string' ? (/^([^,\s]+), /.exec(item) ?? []) : [];
  report.buckets.push({ from: at.from, to: at.to, kind: 'cost' });
  report.lines.push({
    ...at,
    kind: 'cost',
    ...(model !== undefined && { model }),
    amounts: { cost },
    facts: readOwnFacts(result),
  });
}

const readOwnFacts = (result: JsonObject): Record<string, string> =>
  readFacts(result, new Set(Object.keys(result).filter((name) => VALUES.test(name))));

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value);
