import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { decodeFailure } from '../openai-error.ts';
import { isObject, itemsOf } from '../read-field.ts';
import type { Members } from '../unchecked.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeResult } from './decode-result.ts';
import type { AnswerContext } from './item-reader.ts';
import type { ResponsesBody } from './schema.ts';
import { ResponsesStreamDecoder } from './stream-decoder.ts';

/** Providers with an OpenAI Responses API. */
export const responsesOutbound: OutboundFormat = { id: 'responses', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const { body, restoreName } = encodeRequest(request, target);
  const context: AnswerContext = {
    model: target.externalId,
    issuer: target.dialect.issuer,
    isEncrypted: target.reasoning,
    toolNames: new Set(request.tools.map((tool) => tool.name ?? '')),
    restoreName,
    relays: request.origin.format === 'responses' && !lowersTools(request, target),
  };
  return {
    path: '/responses',
    headers: {},
    body,
    decodeResult: (answer) => decodeResult(answer, context),
    createStreamDecoder: () => new ResponsesStreamDecoder(context),
  };
}

/** Whether custom tools are sent as functions, so that their calls return as function calls. */
function lowersTools({ origin }: CanonicalRequest, { dialect }: Target): boolean {
  const { tools }: Members<ResponsesBody> = origin.body;
  if (dialect.customTools) return false;
  return itemsOf(tools).some((tool) => isObject(tool) && tool.type === 'custom');
}
