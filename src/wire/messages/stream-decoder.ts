import { parseJson } from '#base';
import type { UpstreamFailure } from '#errors';
import type { StreamDecoder } from '../contract.ts';
import { AnswerDecoder } from '../answer/answer-decoder.ts';
import { createGarbled } from '../errors/openai-error.ts';
import { MessagesAnswerReader } from './answer-reader.ts';
import type { AnswerContext } from './decode-answer-block.ts';

/** Decodes the events of a Message, which `message_stop` ends. */
export function createStreamDecoder(context: AnswerContext): StreamDecoder {
  return new AnswerDecoder(new MessagesAnswerReader(context), {
    parse: parseJson,
    judge: judgeData,
    cutShort: 'the provider ended its answer in the middle',
  });
}

/** Compatible servers copy `[DONE]` from OpenAI. */
function judgeData(data: string, name: string | undefined): UpstreamFailure | undefined {
  if (name === 'error')
    return { kind: 'broken', message: 'the provider reported an error', detail: data.slice(0, 2048) };
  if (name === 'ping' || data === '' || data === '[DONE]') return undefined;
  return createGarbled(data, 'the provider sent an event that cannot be read');
}
