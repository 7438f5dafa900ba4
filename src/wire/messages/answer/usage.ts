import type { JsonObject } from '#base';
import {
  type ModelUsage,
  type Usage,
  createUsage,
  isBelievable,
  outputTokensOf,
  sumUsages,
  toCount,
} from '#canonical';
import type { MessagesUsage } from './answer-schema.ts';
import { listParts } from './iterations.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';

type RawUsage = Members<MessagesUsage>;

const COUNTS = new Set<keyof MessagesUsage>([
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
]);

/** Far more turns than a real answer has; each becomes a part of the bill. */
const MOST_TURNS = 1_000;

/** Decodes usage into disjoint parts, summed over all billed turns and models; nothing if it is implausible. */
export function decodeUsage(raw: RawUsage): Usage | undefined {
  return decodeModelUsage(raw)?.usage;
}

/** The same, with the usage of each turn if there are several or another model answered. */
export function decodeModelUsage(raw: RawUsage): { usage: Usage; parts?: ModelUsage[] } | undefined {
  if (!isBelievable(raw) || itemsOf(raw.iterations).length > MOST_TURNS) return undefined;
  const whole = decodeParts(raw);
  const parts = listParts(raw.iterations, whole, decodeParts);
  if (!parts) return { usage: whole };
  const usage = sumUsages(parts.map((part) => part.usage));
  const isPlain = parts.length <= 1 && parts.every(({ model }) => model === undefined);
  return isPlain ? { usage } : { usage, parts };
}

function decodeParts(raw: RawUsage): Usage {
  const { cache_creation: split, output_tokens_details: details, server_tool_use: servers } = raw;
  const written5m = isObject(split) ? toCount(split.ephemeral_5m_input_tokens) : 0;
  const written1h = isObject(split) ? toCount(split.ephemeral_1h_input_tokens) : 0;
  const unsplit = Math.max(0, toCount(raw.cache_creation_input_tokens) - written5m - written1h);
  const output = toCount(raw.output_tokens);
  const thinking = isObject(details) ? Math.min(output, toCount(details.thinking_tokens)) : 0;
  return createUsage({
    inputUncached: toCount(raw.input_tokens),
    inputCacheRead: toCount(raw.cache_read_input_tokens),
    inputCacheWrite5m: written5m + unsplit,
    inputCacheWrite1h: written1h,
    outputText: output - thinking,
    outputReasoning: thinking,
    webSearches: isObject(servers) ? toCount(servers.web_search_requests) : 0,
  });
}

/**
 * Usage members other than token counts (`service_tier`, `iterations`, …), if any. With turns of several models the
 * counts are kept too: they are not the billed sum.
 */
export function findUsageLeftovers(raw: RawUsage): RawUsage | undefined {
  const leftovers = hasIterations(raw) ? { ...raw } : without(raw, COUNTS);
  return Object.keys(leftovers).length > 0 ? leftovers : undefined;
}

function hasIterations({ iterations }: RawUsage): boolean {
  return Array.isArray(iterations) && iterations.length > 0;
}

/** The full usage object that Messages clients expect, with format-specific members restored. */
export function encodeUsage(usage: Usage, leftovers: RawUsage = {}): RawUsage {
  const own = hasIterations(leftovers) ? decodeParts(leftovers) : usage;
  const encoded: RawUsage = {
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
    const { output_tokens_details: details } = leftovers;
    encoded.output_tokens_details = {
      ...(isObject(details) && details),
      thinking_tokens: own.outputReasoning,
    };
  }
  if (own.webSearches > 0 && !isObject(leftovers.server_tool_use)) {
    encoded.server_tool_use = { web_search_requests: own.webSearches };
  }
  return encoded;
}

/**
 * Usage of a stream: `message_delta` repeats the counts of the whole message, so they replace those of `message_start`
 * and are never added. Zeros for an input that was already counted are ignored.
 */
export function overlayUsage(start: RawUsage, delta: RawUsage): RawUsage {
  const merged: RawUsage = overlay(start, delta);
  if (countsInput(merged)) return merged;
  for (const name of INPUT_FIELDS) if (start[name] !== undefined) merged[name] = start[name];
  return merged;
}

/** Merges both; `null` does not replace an earlier value. */
export function overlay(base: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...base };
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__' || (value === null && merged[name] !== undefined)) continue;
    merged[name] = value;
  }
  return merged;
}

const INPUT_COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
const INPUT_FIELDS = [...INPUT_COUNTS, 'cache_creation'] as const;

function countsInput(raw: RawUsage): boolean {
  return INPUT_COUNTS.some((name) => toCount(raw[name]) > 0);
}
