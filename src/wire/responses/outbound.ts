import type { CanonicalRequest, Target, Tool } from '#canonical';
import { readAnswers } from '../answer/answer-decoder.ts';
import { ResponsesAnswerReader } from './answer/answer-reader.ts';
import type { CountExchange, Exchange, OutboundFormat } from '../contract.ts';
import { decodeFailure } from '../errors/openai-error.ts';
import { EncodeContext } from '../request/encode-context.ts';
import { encodeRequest } from './request/encode-request.ts';
import { forwardRequest } from './request/forward-request.ts';
import { writeBody } from '../request/forwarding.ts';
import type { AnswerContext } from './answer/item-reader.ts';
import { readCount, selectMembers } from '../body/read-count.ts';
import type { ResponsesBody } from './schema.ts';

/** Fields that `input_tokens` accepts. */
const COUNT_FIELDS: ReadonlySet<string> = new Set<keyof ResponsesBody>([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
]);

/** Providers with an OpenAI Responses API. */
export const responsesOutbound: OutboundFormat = { id: 'responses', openExchange, openCount, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const context = new EncodeContext(request, target);
  const body = writeBody(context, { format: 'responses', forward: forwardRequest, encode: encodeRequest });
  const answer: AnswerContext = {
    model: target.externalId,
    issuer: target.dialect.issuer,
    isEncrypted: target.reasoning,
    toolNames: new Set(request.tools.map((tool) => tool.name ?? '')),
    names: context.answerNames,
    relays: request.origin.format === 'responses' && !request.tools.some(isLowered),
  };
  return {
    path: '/responses',
    headers: {},
    body,
    ...readAnswers(() => new ResponsesAnswerReader(answer)),
  };
}

function openCount({ headers, body }: Exchange): CountExchange {
  return {
    path: '/responses/input_tokens',
    headers,
    body: selectMembers(body, COUNT_FIELDS),
    decode: ({ input_tokens: tokens }) => readCount(tokens),
  };
}

/** Whether its calls must be converted back to the caller's kind. */
function isLowered(tool: Tool): boolean {
  return tool.type === 'function' && tool.custom === true;
}
