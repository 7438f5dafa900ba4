import type { InboundFormat } from '../contract.ts';
import { decodeRequest } from './request/decode-request.ts';
import { encodeChoices, encodeResult } from './answer/encode-result.ts';
import { encodeError } from '../errors/openai-error.ts';
import { ChatStreamEncoder } from './answer/stream-encoder.ts';

/** Clients of OpenAI Chat Completions. */
export const chatInbound: InboundFormat = {
  id: 'chat',
  answerIdPrefix: 'chatcmpl-',
  errorStatus: 'status',
  decodeRequest: (body) => decodeRequest(body),
  encodeResult,
  encodeChoices,
  createStreamEncoder: (context, choice) => new ChatStreamEncoder(context, choice),
  encodeError: (error) => encodeError(error),
};
