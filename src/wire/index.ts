export {
  type AnswerFacts,
  type Exchange,
  type FailedResponse,
  type InboundFormat,
  type OutboundFormat,
  type MemoryFormat,
  type Recalled,
  type ReplyContext,
  type RequestHeaders,
  type StreamDecoder,
  type StreamEncoder,
  isFailure,
} from './contract.ts';
export { decodeUsage as decodeGeminiUsage } from './gemini/index.ts';
export {
  type AskedTool,
  changeTools,
  findMostCalls,
  isAskedWith,
  listAskedTools,
  listSentTools,
} from './asked-tools.ts';
export { tallyBlock } from './tool-uses.ts';
export { findFailure } from './openai-error.ts';
export { listMade } from './made-objects.ts';
export { listReferences } from './references.ts';
export { getInboundFormat, getOutboundFormat } from './formats.ts';
export { normalizeMediaType } from './media-type.ts';
export { chatRequestSchema, chatResponseSchema, openaiErrorSchema } from './chat/index.ts';
export {
  createGeminiInbound,
  decodeGeminiCount,
  geminiErrorSchema,
  geminiRequestSchema,
  geminiResponseSchema,
} from './gemini/index.ts';
export {
  decodeCountTokens,
  messagesErrorSchema,
  messagesInbound,
  messagesRequestSchema,
  messagesResponseSchema,
  openCountExchange,
} from './messages/index.ts';
export { findPriceOptions } from './price-options.ts';
export { responseSchema, responsesRequestSchema } from './responses/index.ts';
