import { type JsonObject, isJsonObject } from '#base';
import { type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../chunk-decoder.ts';
import { createGarbled, describeValue } from '../openai-error.ts';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';
import { findFailure } from './failure.ts';

/** Reads a complete answer; nothing for a body with neither a candidate nor a block reason. */
export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  const failure = findFailure(body);
  if (failure) return failure;
  const reader = new AnswerReader(context);
  const fault = readSafely(reader, body);
  if (fault) return fault;
  const { candidates } = body;
  const hasCandidate = Array.isArray(candidates) && candidates.some(isJsonObject);
  if (!hasCandidate && !reader.hasFinish) return createGarbled(describeValue(body));
  reader.finish();
  return collect(reader.drain());
}
