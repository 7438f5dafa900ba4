import type { InboundFormat } from '../contract.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResult } from './encode-result.ts';
import { encodeError } from './error.ts';
import { MessagesStreamEncoder } from './stream-encoder.ts';

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
