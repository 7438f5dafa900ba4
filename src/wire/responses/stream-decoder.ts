import type { StreamDecoder } from '../contract.ts';
import { AnswerDecoder } from '../answer/answer-decoder.ts';
import { ResponsesAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './item-reader.ts';

/** Decodes the events of a response, of which `response.completed` or another with a final status is the last. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new AnswerDecoder(new ResponsesAnswerReader(context));
}
