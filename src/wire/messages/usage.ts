import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, createUsage, isBelievable, outputTokensOf, toCount } from '#canonical';
import { without } from './without.ts';

/** Turns whose tokens Anthropic leaves out of the totals (`BetaIterationsUsage`). */
const UNCOUNTED_TURNS: ReadonlySet<unknown> = new Set(['compaction', 'advisor_message']);

const COUNTS: ReadonlySet<string> = new Set([
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
]);

/** A usage object as disjoint parts, the turns its totals leave out added; nothing where it cannot be so. */
export function decodeUsage(raw: JsonObject): Usage | undefined {
  if (!isBelievable(raw)) return undefined;
  const usage = decodeParts(raw);
  const uncounted = sumUncounted(raw['iterations']);
  return uncounted ? combine(usage, uncounted, 1) : usage;
}

function decodeParts(raw: JsonObject): Usage {
  const split = isJsonObject(raw['cache_creation']) ? raw['cache_creation'] : {};
  const written5m = toCount(split['ephemeral_5m_input_tokens']);
  const written1h = toCount(split['ephemeral_1h_input_tokens']);
  const unsplit = Math.max(0, toCount(raw['cache_creation_input_tokens']) - written5m - written1h);
  const output = toCount(raw['output_tokens']);
  const details = isJsonObject(raw['output_tokens_details']) ? raw['output_tokens_details'] : {};
  const thinking = Math.min(output, toCount(details['thinking_tokens']));
  const servers = isJsonObject(raw['server_tool_use']) ? raw['server_tool_use'] : {};
  return createUsage({
    inputUncached: toCount(raw['input_tokens']),
    inputCacheRead: toCount(raw['cache_read_input_tokens']),
    inputCacheWrite5m: written5m + unsplit,
    inputCacheWrite1h: written1h,
    outputText: output - thinking,
    outputReasoning: thinking,
    webSearches: toCount(servers['web_search_requests']),
  });
}

function sumUncounted(turns: JsonValue | undefined): Usage | undefined {
  if (!Array.isArray(turns)) return undefined;
  let sum: Usage | undefined;
  for (const turn of turns) {
    if (!isJsonObject(turn) || !UNCOUNTED_TURNS.has(turn['type'])) continue;
    sum = combine(sum ?? createUsage(), decodeParts(turn), 1);
  }
  return sum;
}

function combine(left: Usage, right: Usage, sign: 1 | -1): Usage {
  return createUsage({
    inputUncached: left.inputUncached + sign * right.inputUncached,
    inputCacheRead: left.inputCacheRead + sign * right.inputCacheRead,
    inputCacheWrite5m: left.inputCacheWrite5m + sign * right.inputCacheWrite5m,
    inputCacheWrite1h: left.inputCacheWrite1h + sign * right.inputCacheWrite1h,
    inputAudio: left.inputAudio,
    inputImage: left.inputImage,
    outputText: left.outputText + sign * right.outputText,
    outputReasoning: left.outputReasoning + sign * right.outputReasoning,
    outputAudio: left.outputAudio,
    outputImage: left.outputImage,
    webSearches: left.webSearches,
  });
}

/** What a usage object says beside token counts (`service_tier`, `iterations`, …); nothing where it says no more. */
export function findUsageLeftovers(raw: JsonObject): JsonObject | undefined {
  const leftovers = without(raw, COUNTS);
  return Object.keys(leftovers).length > 0 ? leftovers : undefined;
}

/** The full usage object every Messages client expects, with what only this format says put back. */
export function encodeUsage(usage: Usage, leftovers: JsonObject = {}): JsonObject {
  const uncounted = sumUncounted(leftovers['iterations']);
  const own = uncounted ? combine(usage, uncounted, -1) : usage;
  const encoded: JsonObject = {
    ...leftovers,
    input_tokens: own.inputUncached + own.inputAudio + own.inputImage,
    cache_creation_input_tokens: own.inputCacheWrite5m + own.inputCacheWrite1h,
    cache_read_input_tokens: own.inputCacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: own.inputCacheWrite5m,
      ephemeral_1h_input_tokens: own.inputCacheWrite1h,
    },
    output_tokens: outputTokensOf(own),
  };
  if (own.outputReasoning > 0) {
    const details = isJsonObject(leftovers['output_tokens_details'])
      ? leftovers['output_tokens_details']
      : {};
    encoded['output_tokens_details'] = { ...details, thinking_tokens: own.outputReasoning };
  }
  if (own.webSearches > 0 && !isJsonObject(leftovers['server_tool_use'])) {
    encoded['server_tool_use'] = { web_search_requests: own.webSearches };
  }
  return encoded;
}

/**
 * Usage of a stream: `message_delta` repeats the whole message's counts, so what it tells replaces what
 * `message_start` told and is never added. Servers that send zeros for an input they counted before are not believed.
 */
export function overlayUsage(start: JsonObject, delta: JsonObject): JsonObject {
  const merged = overlay(start, delta);
  if (countInput(merged) > 0 || countInput(start) === 0) return merged;
  for (const name of INPUT_FIELDS) if (start[name] !== undefined) merged[name] = start[name];
  return merged;
}

/** The members of both; `null` says nothing where something was said before. */
export function overlay(base: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__' || (value === null && merged[name] !== undefined)) continue;
    merged[name] = value;
  }
  return merged;
}

const INPUT_FIELDS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
] as const;

function countInput(raw: JsonObject): number {
  return (
    toCount(raw['input_tokens']) +
    toCount(raw['cache_read_input_tokens']) +
    toCount(raw['cache_creation_input_tokens'])
  );
}
