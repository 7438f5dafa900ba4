import type { JsonObject } from '#base';
import type { GenerationResult } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { readSafely } from '../answer/answer-decoder.ts';
import { MessagesAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './decode-answer-block.ts';

export function decodeResult(body: JsonObject, context: AnswerContext): GenerationResult | UpstreamFailure {
  return readSafely(() => new MessagesAnswerReader(context).readWhole(body));
}
