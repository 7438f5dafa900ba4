export { withoutAttribution } from './request/attribution.ts';
export { continueAnswer } from './continue-answer.ts';
export {
  type AnswerFacts,
  type CountExchange,
  type Exchange,
  type FailedResponse,
  type InboundFormat,
  type OutboundFormat,
  type MemoryFormat,
  type RecalledConversation,
  type RequestEcho,
  type ReplyContext,
  type StreamDecoder,
  type StreamEncoder,
  isFailure,
} from './contract.ts';
export { decodeUsage as decodeGeminiUsage } from './gemini/index.ts';
export {
  type RequestedTool,
  changeTools,
  findMostCalls,
  includesToolType,
  listRequestedTools,
} from './requested-tools.ts';
export { tallyBlock } from './tally-block.ts';
export { findFailure, openaiErrorSchema } from './errors/openai-error.ts';
export { listCreatedObjects } from './created-objects.ts';
export { listReferences } from './objects/references.ts';
export { CLIENT_FACTS, FORMAT_FACTS } from './facts.ts';
export { getInboundFormat, getOutboundFormat } from './formats.ts';
export { normalizeMediaType } from './media/media-type.ts';
export { createGeminiInbound, decodeGeminiCount } from './gemini/index.ts';
export { decodeCountTokens, messagesInbound } from './messages/index.ts';
export { refuse, refuseUnsupported } from './body/read-field.ts';
export { hasCacheMarks } from './request/has-marks.ts';
export { findPriceOptions } from './price-options.ts';
export { listInputItems } from './responses/index.ts';
export { listSentTools } from './sent-tools.ts';
