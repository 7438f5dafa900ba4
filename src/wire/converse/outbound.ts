import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { decodeResult } from './decode-result.ts';
import { DocumentNames } from './document-names.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeFailure } from './failure.ts';
import { ConverseStreamDecoder } from './stream-decoder.ts';
import { ToolIds } from '../tool-ids.ts';
import { ToolNames } from '../tool-names.ts';

/** What models behind Bedrock's Converse are told and what they answer. */
export const converseOutbound: OutboundFormat = { id: 'converse', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const { dialect, externalId } = target;
  const names = new ToolNames(dialect.maxToolName);
  const ids = new ToolIds(dialect.toolCallId);
  const context = {
    restoreName: (name: string) => names.restore(name),
    issuer: dialect.issuer,
    model: externalId,
  };
  return {
    path: `/model/${encodeURIComponent(externalId)}/${request.stream ? 'converse-stream' : 'converse'}`,
    headers: {},
    body: encodeRequest({ request, target, names, ids, documents: new DocumentNames() }),
    decodeResult: (body) => decodeResult(body, context),
    createStreamDecoder: () => new ConverseStreamDecoder(context),
  };
}
