import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, inputTokensOf, outputTokensOf } from '#canonical';
import type { AnswerFacts } from '../contract.ts';

/** Encodes usage for Responses: the input includes cached and written tokens, the output reasoning. */
export function encodeUsage(usage: Usage, facts?: AnswerFacts, leftovers?: JsonValue): JsonObject {
  const input = inputTokensOf(usage);
  const output = outputTokensOf(usage);
  const { inputCacheWrite5m: short, inputCacheWrite1h: long } = usage;
  return {
    ...(isJsonObject(leftovers) && leftovers),
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.inputCacheRead,
      cache_write_tokens: short + long,
      ...(long > 0 && { cache_write_tokens_details: { ttl_30m_tokens: short, ttl_12h_tokens: long } }),
    },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: usage.outputReasoning,
      ...(usage.outputImage > 0 && { image_tokens: usage.outputImage }),
    },
    total_tokens: input + output,
    ...(facts && { cost: facts.costUsd }),
  };
}
