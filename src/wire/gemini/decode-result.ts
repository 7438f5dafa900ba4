import type { JsonObject } from '#base';
import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { type AnswerContext, GeminiAnswerReader } from './answer-reader.ts';

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => new GeminiAnswerReader(context).readWhole(body));
}
