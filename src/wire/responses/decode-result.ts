import type { JsonObject } from '#base';
import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { ResponsesAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './item-reader.ts';

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => new ResponsesAnswerReader(context).readWhole(body));
}
