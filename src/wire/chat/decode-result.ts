import { type JsonObject, isJsonObject } from '#base';
import { type GenerationEvent, type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';
import { garbled, readSafely } from './stream-decoder.ts';
import { describeValue, findFailure } from './upstream-error.ts';

/** Reads a complete answer as the only chunk of one, so that no quirk has to be known twice. */
export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  const failure = findFailure(body);
  if (failure) return failure;
  const { choices } = body;
  if (!Array.isArray(choices) || !choices.some(isJsonObject)) {
    return garbled(describeValue(body));
  }
  const events: GenerationEvent[] = [];
  const reader = new AnswerReader(context);
  const finishFailure = readSafely(reader, body, events);
  if (finishFailure) return finishFailure;
  reader.finish(events);
  return collect(events);
}
