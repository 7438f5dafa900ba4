import type { JsonObject } from '#base';
import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { ConverseAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './decode-answer-block.ts';

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => new ConverseAnswerReader(context).readWhole(body));
}
