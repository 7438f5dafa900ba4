import type { InboundFormat } from '../contract.ts';
import { decodeRequest } from './request/decode-request.ts';
import { encodeResult } from './answer/encode-result.ts';
import { encodeError } from '../errors/openai-error.ts';
import { responsesMemory } from './request/memory.ts';
import { createEcho } from './request-echo.ts';
import { ResponsesStreamEncoder } from './answer/stream-encoder.ts';

/** Clients of OpenAI Responses. */
export const responsesInbound: InboundFormat = {
  id: 'responses',
  answerIdPrefix: 'resp_',
  errorStatus: 'status',
  decodeRequest: (body) => decodeRequest(body),
  createEcho,
  memory: responsesMemory,
  encodeResult,
  createStreamEncoder: (context) => new ResponsesStreamEncoder(context),
  encodeError: (error) => encodeError(error),
};
