export {
  type Exchange,
  type FailedResponse,
  type InboundFormat,
  type OutboundFormat,
  type ReplyContext,
  type RequestHeaders,
  type StreamDecoder,
  type StreamEncoder,
  isFailure,
} from './contract.ts';
