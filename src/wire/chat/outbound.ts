import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { readAnswers } from '../answer/answer-decoder.ts';
import { type AnswerContext, ChatAnswerReader } from './answer/answer-reader.ts';
import { EncodeContext } from '../request/encode-context.ts';
import { encodeRequest } from './request/encode-request.ts';
import { forwardRequest } from './request/forward-request.ts';
import { writeBody } from '../request/forwarding.ts';
import { decodeFailure } from '../errors/openai-error.ts';

/** Providers with an OpenAI Chat Completions API, in any dialect. */
export const chatOutbound: OutboundFormat = { id: 'chat', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const context = new EncodeContext(request, target);
  const body = writeBody(context, { format: 'chat', forward: forwardRequest, encode: encodeRequest });
  const answer: AnswerContext = {
    model: target.externalId,
    stopSequences: request.stopSequences,
    completionExcludesReasoning: target.dialect.completionExcludesReasoning,
    names: context.answerNames,
  };
  return {
    path: '/chat/completions',
    headers: {},
    body,
    ...readAnswers(() => new ChatAnswerReader(answer)),
  };
}
