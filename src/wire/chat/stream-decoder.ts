import type { StreamDecoder } from '../contract.ts';
import { ChunkDecoder } from '../chunk-decoder.ts';
import { type AnswerContext, AnswerReader } from './answer-reader.ts';

/** Reads the chunks of a completion; an end is believed only after a finish reason. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new ChunkDecoder(new AnswerReader(context));
}
