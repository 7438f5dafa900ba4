import type { ReadAnswer } from './answer-schema.ts';
import { type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { createGarbled, describeValue, findFailure } from '../errors/openai-error.ts';
import { ResponsesAnswerReader } from './answer-reader.ts';
import { findAnswerFailure } from './failure.ts';
import type { AnswerContext } from './item-reader.ts';

/** Decodes a complete answer as the last event of a stream, so quirks are handled once. */
export function decodeResult(body: ReadAnswer, context: AnswerContext): GenerationResult | UpstreamFailure {
  if (!Array.isArray(body.output)) return findFailure(body) ?? createGarbled(describeValue(body));
  const failure = findAnswerFailure(body);
  if (failure) return failure;
  const reader = new ResponsesAnswerReader(context);
  reader.finish(body);
  return collect(reader.drain());
}
