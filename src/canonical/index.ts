export {
  type Annotation,
  type Block,
  type CacheMark,
  type MediaBlock,
  type MediaSource,
  type NativeBlock,
  type ReasoningBlock,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  inputJsonOf,
} from './block.ts';
export { type Contents, contentsOf, isLongMark } from './contents.ts';
export { Collector, GrammarError, collect, toEvents } from './collect.ts';
export {
  type BlockEnd,
  type BlockStart,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationStart,
  type Relay,
} from './event.ts';
export {
  CLIENT_FORMATS,
  type ClientFormatId,
  type Extra,
  FORMATS,
  type FormatId,
  TEXT_ENDPOINTS,
  findFormat,
  isOpenaiFormat,
} from './format.ts';
export {
  type AccountObject,
  type CanonicalRequest,
  type CustomTool,
  EFFORTS,
  type Effort,
  type FunctionTool,
  type NamedModel,
  type NativeTool,
  type OutputShape,
  type ReasoningOptions,
  type References,
  type Sampling,
  type Tool,
  type ToolChoice,
  type Turn,
  type UnknownTool,
} from './request.ts';
export { PRICE_FIELDS, type PriceField, type PriceOptions, readPriceValue } from './price-options.ts';
export { type Finish, type FinishReason, type GenerationResult, type ModelUsage } from './result.ts';
export {
  CHAT_DIALECT,
  CONVERSE_DIALECT,
  type Dialect,
  FORMAT_DIALECTS,
  GEMINI_DIALECT,
  MESSAGES_DIALECT,
  RESPONSES_DIALECT,
  type SetMarks,
  type Target,
} from './target.ts';
export { isBelievable } from './believable.ts';
export { ToolTally, type ToolUse } from './tool-use.ts';
export {
  INPUT_PARTS,
  OUTPUT_PARTS,
  USAGE_PARTS,
  type Usage,
  type UsagePart,
  createUsage,
  estimateTokens,
  inputTokensOf,
  laterUsage,
  outputTokensOf,
  sumUsages,
  toCount,
  withoutCache,
} from './usage.ts';
