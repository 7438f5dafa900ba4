import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { decodeFailure } from '../openai-error.ts';
import { buildRequest } from './build-request.ts';
import { decodeResult } from './decode-answer.ts';
import type { AnswerContext } from './item-reader.ts';
import { ResponsesStreamDecoder } from './stream-decoder.ts';

/** Providers that speak OpenAI's Responses. */
export const responsesOutbound: OutboundFormat = { id: 'responses', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const { body, restoreName } = buildRequest(request, target);
  const context: AnswerContext = {
    model: target.externalId,
    issuer: target.dialect.issuer,
    isEncrypted: target.reasoning,
    toolNames: new Set(request.tools.map((tool) => tool.name ?? '')),
    restoreName,
  };
  return {
    path: '/responses',
    headers: {},
    body,
    decodeResult: (answer) => decodeResult(answer, context),
    createStreamDecoder: () => new ResponsesStreamDecoder(context),
  };
}
