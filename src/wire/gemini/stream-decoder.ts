import { parseExact } from '#base';
import type { StreamDecoder } from '../contract.ts';
import { AnswerDecoder } from '../answer/answer-decoder.ts';
import { type AnswerContext, GeminiAnswerReader } from './answer-reader.ts';

/**
 * Reads the chunks of an answer, whose calls have objects as arguments; the end needs a finish reason or a blocked
 * prompt.
 */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new AnswerDecoder(new GeminiAnswerReader(context), {
    parse: (data) => parseExact(data.trim()),
  });
}
