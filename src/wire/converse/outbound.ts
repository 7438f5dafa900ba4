import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { decodeResult } from './decode-result.ts';
import { EncodeContext } from './encode-context.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeFailure } from './failure.ts';
import { createStreamDecoder } from './stream-decoder.ts';

/** Models behind Bedrock's Converse. */
export const converseOutbound: OutboundFormat = { id: 'converse', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const { dialect, externalId } = target;
  const context = new EncodeContext(request, target);
  const body = encodeRequest(context);
  const answer = { names: context.answerNames, issuer: dialect.issuer, model: externalId };
  return {
    path: `/model/${encodeURIComponent(externalId)}/${request.stream ? 'converse-stream' : 'converse'}`,
    headers: {},
    body,
    decodeResult: (given) => decodeResult(given, answer),
    createStreamDecoder: () => createStreamDecoder(answer),
  };
}
