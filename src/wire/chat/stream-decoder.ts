import type { StreamDecoder } from '../contract.ts';
import { AnswerDecoder } from '../answer/answer-decoder.ts';
import { type AnswerContext, ChatAnswerReader } from './answer-reader.ts';

/** Decodes the chunks of a completion; the stream is complete only after a finish reason. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new AnswerDecoder(new ChatAnswerReader(context));
}
