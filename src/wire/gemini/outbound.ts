import { parseExact } from '#base';
import type { CanonicalRequest, Target } from '#canonical';
import type { CountExchange, Exchange, OutboundFormat } from '../contract.ts';
import { type StreamRules, readAnswers } from '../answer/answer-decoder.ts';
import { type AnswerContext, GeminiAnswerReader } from './answer/answer-reader.ts';
import { EncodeContext } from '../request/encode-context.ts';
import { GEMINI_NAMES } from './tool-names.ts';
import { encodeRequest } from './request/encode-request.ts';
import { readCount } from '../body/read-count.ts';
import { writeBody } from '../request/forwarding.ts';
import { forwardRequest } from './request/forward-request.ts';
import { decodeFailure } from './answer/failure.ts';

/** Calls have objects as arguments, whose numbers stay exact. */
const STREAM: StreamRules = { parse: (data) => parseExact(data.trim()) };

/** Providers that speak Google's `generateContent`. */
export const geminiOutbound: OutboundFormat = { id: 'gemini', openExchange, openCount, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const context = new EncodeContext(request, target, GEMINI_NAMES);
  const body = writeBody(context, { format: 'gemini', forward: forwardRequest, encode: encodeRequest });
  const answer: AnswerContext = {
    model: target.externalId,
    issuer: target.dialect.issuer,
    names: context.answerNames,
  };
  const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return {
    path: `/models/${encodeURIComponent(target.externalId)}:${method}`,
    headers: {},
    body,
    ...readAnswers(() => new GeminiAnswerReader(answer), STREAM),
  };
}

/** Only a whole request is counted with its system instruction and tools. */
function openCount({ headers, body }: Exchange, { externalId }: Target): CountExchange {
  return {
    path: `/models/${encodeURIComponent(externalId)}:countTokens`,
    headers,
    body: { generateContentRequest: { model: `models/${externalId}`, ...body } },
    decode: ({ totalTokens: tokens }) => readCount(tokens),
  };
}
