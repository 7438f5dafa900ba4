import type { GenerationEvent, GenerationResult } from '#canonical';
import { type Exchange, type StreamDecoder, isFailure } from '../contract.ts';

/** Changes to the answers of an exchange: to a whole one, and to the events of a stream. */
interface AnswerConversion {
  convertResult(result: GenerationResult): GenerationResult;
  createConverter(): EventConverter;
}

/** Converts the events of one stream in their order. */
export interface EventConverter {
  convert(event: GenerationEvent): GenerationEvent[];
}

/** An exchange with converted answers. Holds only its decoders, not the exchange, whose body is released once sent. */
export function withConvertedAnswers(
  exchange: Exchange,
  { convertResult, createConverter }: AnswerConversion,
): Exchange {
  const { decodeResult, createStreamDecoder } = exchange;
  return {
    ...exchange,
    decodeResult(body) {
      const result = decodeResult(body);
      return isFailure(result) ? result : convertResult(result);
    },
    createStreamDecoder: () => convertEvents(createStreamDecoder(), createConverter()),
  };
}

function convertEvents(decoder: StreamDecoder, converter: EventConverter): StreamDecoder {
  const convert = (event: GenerationEvent): GenerationEvent[] => converter.convert(event);
  return {
    push: (message) => decoder.push(message).flatMap(convert),
    close: () => decoder.close().flatMap(convert),
  };
}
