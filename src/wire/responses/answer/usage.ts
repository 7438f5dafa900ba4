import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, createUsage, inputTokensOf, isBelievable, outputTokensOf, toCount } from '#canonical';
import type { AnswerFacts } from '../../contract.ts';
import { objectOf } from '../../body/read-answer.ts';
import type { Members } from '../../body/unchecked.ts';
import type { AnswerUsage } from './answer-schema.ts';

/** Decodes a usage object into disjoint parts; undefined if counts are absent or implausible. */
export function decodeUsage(value: JsonValue | undefined, webSearches: number): Usage | undefined {
  if (!isJsonObject(value) || !isBelievable(value)) return undefined;
  const reported: AnswerUsage = value;
  const { input_tokens: input, output_tokens: output, total_tokens: total } = reported;
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  const read = readInput(reported);
  const whole = toCount(output);
  const details = objectOf(reported.output_tokens_details);
  const given = toCount(details.reasoning_tokens);
  // An upstream that excludes reasoning from its output reveals it by the total, as xAI does in Chat.
  const beyond = toCount(total) - toCount(input) - whole;
  const isExcluded = given > 0 && (given > whole || beyond >= given);
  const reasoning = isExcluded ? given : Math.min(given, whole);
  const visible = isExcluded ? whole : whole - reasoning;
  const image = Math.min(visible, toCount(details.image_tokens));
  return createUsage({
    ...read,
    outputText: visible - image,
    outputReasoning: reasoning,
    outputImage: image,
    webSearches,
  });
}

function readInput(usage: AnswerUsage): Partial<Usage> {
  const input = toCount(usage.input_tokens);
  const details = objectOf(usage.input_tokens_details);
  const cached = toCount(details.cached_tokens);
  const written = toCount(details.cache_write_tokens);
  const long = Math.min(written, toCount(objectOf(details.cache_write_tokens_details).ttl_12h_tokens));
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

const NAMED: ReadonlySet<string> = new Set<keyof AnswerUsage | '__proto__'>([
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

/** Encodes usage for Responses: the input includes cached and written tokens, the output reasoning. */
export function encodeUsage(usage: Usage, facts?: AnswerFacts, leftovers?: JsonValue): AnswerUsage {
  const input = inputTokensOf(usage);
  const output = outputTokensOf(usage);
  const { inputCacheWrite5m: short, inputCacheWrite1h: long, inputCacheRead: cached } = usage;
  const read: Members<AnswerUsage['input_tokens_details']> = {
    cached_tokens: cached,
    cache_write_tokens: short + long,
  };
  if (long > 0) read.cache_write_tokens_details = { ttl_30m_tokens: short, ttl_12h_tokens: long };
  const written: Members<AnswerUsage['output_tokens_details']> = { reasoning_tokens: usage.outputReasoning };
  if (usage.outputImage > 0) written.image_tokens = usage.outputImage;
  const encoded: AnswerUsage = {
    ...objectOf(leftovers),
    input_tokens: input,
    input_tokens_details: read,
    output_tokens: output,
    output_tokens_details: written,
    total_tokens: input + output,
  };
  if (facts) encoded.cost = facts.costUsd;
  return encoded;
}
