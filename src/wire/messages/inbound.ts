import type { InboundFormat } from '../contract.ts';
import { decodeRequest } from './request/decode-request.ts';
import { encodeResult } from './answer/encode-result.ts';
import { encodeError } from './answer/error.ts';
import { MessagesStreamEncoder } from './answer/stream-encoder.ts';

/** The client's side of the Messages format. */
export const messagesInbound: InboundFormat = {
  id: 'messages',
  answerIdPrefix: 'msg_',
  errorStatus: 'messagesStatus',
  decodeRequest,
  encodeResult,
  createStreamEncoder: (context) => new MessagesStreamEncoder(context),
  encodeError,
};
