import type { CanonicalRequest, Target } from '#canonical';
import type { CountExchange, Exchange, OutboundFormat } from '../contract.ts';
import { EncodeContext } from '../request/encode-context.ts';
import { BetaFilter } from './beta-filter.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeResult } from './decode-result.ts';
import { decodeFailure } from './failure.ts';
import { writeBody } from '../request/forwarding.ts';
import { forwardRequest } from './forward-request.ts';
import { readCount, selectMembers } from '../body/read-count.ts';
import { setCacheMarks } from './cache-marks.ts';
import { createStreamDecoder } from './stream-decoder.ts';
import type { MessagesBody } from './schema.ts';

const DEFAULT_VERSION = '2023-06-01';
/** Fields that `count_tokens` accepts. */
const COUNT_FIELDS: ReadonlySet<string> = new Set<keyof MessagesBody>([
  'model',
  'messages',
  'system',
  'cache_control',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'context_management',
  'mcp_servers',
  'speed',
]);

/** Providers that speak Anthropic Messages. */
export const messagesOutbound: OutboundFormat = { id: 'messages', openExchange, openCount, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const context = new EncodeContext(request, target);
  const body = writeBody(context, { format: 'messages', forward: forwardRequest, encode: encodeRequest });
  setCacheMarks(body, target.marks);
  const answer = { names: context.answerNames, issuer: target.dialect.issuer };
  return {
    path: '/messages',
    headers: encodeHeaders(request, target),
    body,
    decodeResult: (given) => decodeResult(given, answer),
    createStreamDecoder: () => createStreamDecoder(answer),
  };
}

function encodeHeaders(request: CanonicalRequest, { dialect }: Target): Record<string, string> {
  const headers: Record<string, string> = {
    'anthropic-version': request.version ?? DEFAULT_VERSION,
    ...request.clientHeaders,
  };
  const { values } = new BetaFilter(request, dialect);
  if (values.length > 0) headers['anthropic-beta'] = values.join(',');
  return headers;
}

function openCount({ headers, body }: Exchange): CountExchange {
  return {
    path: '/messages/count_tokens',
    headers,
    body: selectMembers(body, COUNT_FIELDS),
    decode: ({ input_tokens: tokens }) => readCount(tokens),
  };
}
