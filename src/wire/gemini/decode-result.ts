import { type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/chunk-decoder.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import type { GeminiAnswer } from './answer-schema.ts';
import { createGarbled, describeValue } from '../errors/openai-error.ts';
import { type AnswerContext, GeminiAnswerReader } from './answer-reader.ts';
import { findFailure } from './failure.ts';

/** Reads a complete answer; nothing for a body with neither a candidate nor a block reason. */
export function decodeResult(
  body: Members<GeminiAnswer>,
  context: AnswerContext,
): GenerationResult | UpstreamFailure {
  const failure = findFailure(body);
  if (failure) return failure;
  const reader = new GeminiAnswerReader(context);
  const fault = readSafely(reader, body);
  if (fault) return fault;
  const hasCandidate = itemsOf(body.candidates).some(isObject);
  if (!hasCandidate && !reader.hasFinish) return createGarbled(describeValue(body));
  reader.finish();
  return collect(reader.drain());
}
