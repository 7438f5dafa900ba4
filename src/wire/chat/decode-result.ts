import { type JsonObject, isJsonObject } from '#base';
import { type GenerationEvent, type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';
import { findFailure } from './upstream-error.ts';

/** Reads a complete answer as the only chunk of one, so that no quirk has to be known twice. */
export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  const failure = findFailure(body);
  if (failure) return failure;
  const { choices } = body;
  if (!Array.isArray(choices) || !choices.some(isJsonObject)) {
    return {
      kind: 'garbled',
      message: 'the provider sent something that is not an answer',
      detail: JSON.stringify(body).slice(0, 2048),
    };
  }
  const events: GenerationEvent[] = [];
  const reader = new AnswerReader(context);
  const finishFailure = reader.read(body, events);
  if (finishFailure) return finishFailure;
  reader.finish(events);
  return collect(events);
}
