import type { UpstreamFailure } from '#errors';
import { parseJson } from '#base';
import { createGarbled } from '../errors/openai-error.ts';
import type { CanonicalRequest, Target } from '#canonical';
import { type StreamRules, readAnswers } from '../answer/answer-decoder.ts';
import { MessagesAnswerReader } from './answer/answer-reader.ts';
import type { CountExchange, Exchange, OutboundFormat } from '../contract.ts';
import { EncodeContext } from '../request/encode-context.ts';
import { BetaFilter } from './request/beta-filter.ts';
import { encodeRequest } from './request/encode-request.ts';
import { decodeFailure } from './answer/failure.ts';
import { writeBody } from '../request/forwarding.ts';
import { forwardRequest } from './request/forward-request.ts';
import { readCount, selectMembers } from '../body/read-count.ts';
import { setCacheMarks } from './cache-marks.ts';
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

const STREAM: StreamRules = {
  parse: parseJson,
  readData,
  cutShort: 'the provider ended its answer in the middle',
};

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
    ...readAnswers(() => new MessagesAnswerReader(answer), STREAM),
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

/** Compatible servers copy `[DONE]` from OpenAI. */
function readData(data: string, name: string | undefined): UpstreamFailure | undefined {
  if (name === 'error')
    return { kind: 'broken', message: 'the provider reported an error', detail: data.slice(0, 2048) };
  if (name === 'ping' || data === '' || data === '[DONE]') return undefined;
  return createGarbled(data, 'the provider sent an event that cannot be read');
}
