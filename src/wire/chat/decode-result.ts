import type { JsonObject } from '#base';
import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { type AnswerContext, ChatAnswerReader } from './answer-reader.ts';

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => new ChatAnswerReader(context).readWhole(body));
}
