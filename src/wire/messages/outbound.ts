import type { JsonObject } from '#base';
import type { CanonicalRequest, Target } from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { BetaFence } from './beta-fence.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeResult } from './decode-result.ts';
import { decodeFailure } from './failure.ts';
import { COUNT_FIELDS } from './fields.ts';
import { forwardRequest } from './forward-request.ts';
import { MessagesStreamDecoder } from './stream-decoder.ts';
import { ToolNames } from '../tool-names.ts';

const DEFAULT_VERSION = '2023-06-01';

/** Providers that speak Anthropic Messages. */
export const messagesOutbound: OutboundFormat = { id: 'messages', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const names = new ToolNames(target.dialect.maxToolName);
  const context = { restoreName: (name: string) => names.restore(name), issuer: target.dialect.issuer };
  return {
    path: '/messages',
    headers: encodeHeaders(request, target),
    body: encodeBody(request, target, names),
    decodeResult: (body) => decodeResult(body, context),
    createStreamDecoder: () => new MessagesStreamDecoder(context),
  };
}

function encodeBody(request: CanonicalRequest, target: Target, names: ToolNames): JsonObject {
  return request.origin.format === 'messages'
    ? forwardRequest(request, target)
    : encodeRequest(request, target, names);
}

function encodeHeaders(request: CanonicalRequest, { dialect }: Target): Record<string, string> {
  const headers: Record<string, string> = { 'anthropic-version': request.version ?? DEFAULT_VERSION };
  const { values } = new BetaFence(request, dialect);
  if (values.length > 0) headers['anthropic-beta'] = values.join(',');
  return headers;
}

/** One request to a provider's token counter. */
interface CountExchange {
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** The token count; `undefined` if the answer has none. */
  decode(body: JsonObject): number | undefined;
}

export function openCountExchange(request: CanonicalRequest, target: Target): CountExchange {
  const body = encodeBody(request, target, new ToolNames(target.dialect.maxToolName));
  return {
    path: '/messages/count_tokens',
    headers: encodeHeaders(request, target),
    body: Object.fromEntries(Object.entries(body).filter(([name]) => COUNT_FIELDS.has(name))),
    decode: decodeCount,
  };
}

/** A prompt never counts zero, which clients would read as an empty context. */
function decodeCount({ input_tokens: tokens }: JsonObject): number | undefined {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
