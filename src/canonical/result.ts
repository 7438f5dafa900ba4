import type { Block } from './block.ts';
import type { Extra } from './format.ts';
import type { PriceOptions } from './price-options.ts';
import type { ToolUse } from './tool-use.ts';
import type { Usage } from './usage.ts';

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-window'
  | 'tool-calls'
  | 'content-filter'
  | 'pause'
  | 'unknown';

export interface Finish {
  reason: FinishReason;
  /** The upstream's own value. */
  raw?: string;
  /** The stop sequence that matched, if the upstream reports it. */
  stopSequence?: string;
  /** The limit of the caller that ended the answer, if its budget did: an error code, and the sentence of its refusal. */
  limitedBy?: { code: string; message: string };
  /** Whether another provider continued the answer where one cut it. */
  isContinued?: true;
}

/** The usage of one turn of an answer that has several, such as between hosted tools or of another model. */
export interface ModelUsage {
  /** The upstream's name for it; absent for the requested model. */
  model?: string;
  usage: Usage;
}

/** A complete generation. */
export interface GenerationResult {
  /** The upstream's identifier. */
  id: string;
  /** The upstream's name for the model. */
  model: string;
  blocks: Block[];
  finish: Finish;
  /** Absent if the upstream reported none. */
  usage?: Usage;
  served?: PriceOptions;
  parts?: ModelUsage[];
  /** Tools that ran at the provider; absent where none did. */
  tools?: readonly ToolUse[];
  extra?: Extra;
}
