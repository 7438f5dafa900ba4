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
  /** The upstream's own word. */
  raw?: string;
  /** Which stop sequence matched, where the upstream tells. */
  stopSequence?: string;
}

/** What one model used of an answer that several worked on. */
export interface ModelUsage {
  /** As the upstream names it; absent for the model that was asked. */
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
  /** Absent where the upstream told none. */
  usage?: Usage;
  served?: PriceOptions;
  parts?: ModelUsage[];
  /** Tools that ran at the provider; absent where none did. */
  tools?: readonly ToolUse[];
  extra?: Extra;
}
