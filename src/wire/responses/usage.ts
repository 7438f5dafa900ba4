import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, createUsage, isBelievable, toCount } from '#canonical';

/** Decodes a usage object into disjoint parts; undefined if counts are absent or implausible. */
export function decodeUsage(value: JsonValue | undefined, webSearches: number): Usage | undefined {
  if (!isJsonObject(value) || !isBelievable(value)) return undefined;
  const { input_tokens: input, output_tokens: output, total_tokens: total } = value;
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  const read = readInput(value);
  const whole = toCount(output);
  const details = detailsOf(value, 'output_tokens_details');
  const given = toCount(details['reasoning_tokens']);
  // An upstream that excludes reasoning from its output reveals it by the total, as xAI does in Chat.
  const beyond = toCount(total) - toCount(input) - whole;
  const isExcluded = given > 0 && (given > whole || beyond >= given);
  const reasoning = isExcluded ? given : Math.min(given, whole);
  const visible = isExcluded ? whole : whole - reasoning;
  const image = Math.min(visible, toCount(details['image_tokens']));
  return createUsage({
    ...read,
    outputText: visible - image,
    outputReasoning: reasoning,
    outputImage: image,
    webSearches,
  });
}

function readInput(usage: JsonObject): Partial<Usage> {
  const input = toCount(usage['input_tokens']);
  const details = detailsOf(usage, 'input_tokens_details');
  const cached = toCount(details['cached_tokens']);
  const written = toCount(details['cache_write_tokens']);
  const long = Math.min(written, toCount(detailsOf(details, 'cache_write_tokens_details')['ttl_12h_tokens']));
  // A part larger than the whole is not included in it.
  const unread = input >= cached ? input - cached : input;
  const uncached = input >= cached && unread >= written ? unread - written : unread;
  return {
    inputUncached: uncached,
    inputCacheRead: cached,
    inputCacheWrite5m: written - long,
    inputCacheWrite1h: long,
  };
}

function detailsOf(owner: JsonObject, name: string): JsonObject {
  const details = owner[name];
  return isJsonObject(details) ? details : {};
}

const NAMED: ReadonlySet<string> = new Set([
  'input_tokens',
  'input_tokens_details',
  'output_tokens',
  'output_tokens_details',
  'total_tokens',
  '__proto__',
]);
/** What the upstream charges the operator is not disclosed to the caller. */
const COST = /cost/;

/** Usage members other than token counts; undefined if there are none. */
export function findUsageLeftovers(raw: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(raw)) return undefined;
  const kept = Object.entries(raw).filter(([name]) => !NAMED.has(name) && !COST.test(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
