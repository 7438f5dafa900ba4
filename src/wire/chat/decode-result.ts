import type { JsonObject } from '#base';
import { type GenerationResult, collect } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { createGarbled, describeValue, findFailure } from '../errors/openai-error.ts';
import { readSafely } from '../answer/chunk-decoder.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';
import { type AnswerContext, ChatAnswerReader } from './answer-reader.ts';

/** Decodes a complete answer as a stream of one chunk, so quirks are handled once. */
export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  const failure = findFailure(body);
  if (failure) return failure;
  const { choices }: Members<{ choices: object[] }> = body;
  if (!itemsOf(choices).some(isObject)) return createGarbled(describeValue(body));
  const reader = new ChatAnswerReader(context);
  const finishFailure = readSafely(reader, body);
  if (finishFailure) return finishFailure;
  reader.finish();
  return collect(reader.drain());
}
