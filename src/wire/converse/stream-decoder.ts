import { parseJson } from '#base';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { AnswerDecoder } from '../answer/answer-decoder.ts';
import { createGarbled } from '../errors/openai-error.ts';
import { ConverseAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './decode-answer-block.ts';
import { findEventFailure } from './failure.ts';

/** Decodes the events of `ConverseStream`: the name is the frame's event type, the data its payload. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new AnswerDecoder(new ConverseAnswerReader(context), {
    parse: parseJson,
    judge: judgeData,
    cutShort: 'the provider ended its answer in the middle',
  });
}

function judgeData(data: string, name: string | undefined): UpstreamFailure {
  const failure = findEventFailure(name, { message: data });
  return failure ?? createGarbled(data, 'the provider sent an event that cannot be read');
}
