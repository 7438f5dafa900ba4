import type { StreamDecoder } from '../contract.ts';
import { ChunkDecoder } from '../answer/chunk-decoder.ts';
import { type AnswerContext, ChatAnswerReader } from './answer-reader.ts';

/** Decodes the chunks of a completion; the stream is complete only after a finish reason. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new ChunkDecoder(new ChatAnswerReader(context));
}
