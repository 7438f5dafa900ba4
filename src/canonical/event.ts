import type { JsonObject } from '#base';
import type { UpstreamFailure } from '#errors';
import type { Annotation, Block } from './block.ts';
import type { Extra, FormatId } from './format.ts';
import type { Finish, ModelUsage } from './result.ts';
import type { PriceOptions } from './price-options.ts';
import type { ToolUse } from './tool-use.ts';
import type { Usage } from './usage.ts';

/** The first event. `usage` holds what the upstream already knows (its input side). */
export interface GenerationStart {
  type: 'generation-start';
  id: string;
  model: string;
  usage?: Usage;
  /** The options the upstream reports it bills by. */
  served?: PriceOptions;
  extra?: Extra;
}

/**
 * Opens a block. Text, reasoning and tool calls open empty (a tool call with `input: { json: '' }`) and grow by deltas;
 * every other block is complete here. `index` is dense from 0 and at most one block is open at a time.
 */
export interface BlockStart {
  type: 'block-start';
  index: number;
  block: Block;
  /** A client of the upstream's own format got this block as `relay` events. */
  relayed?: true;
}

/** Appends to the open block: text, thinking or JSON text of a tool call's arguments. */
interface BlockDelta {
  type: 'block-delta';
  index: number;
  text: string;
}

/** Adds a citation to the open text block. */
interface BlockAnnotation {
  type: 'block-annotation';
  index: number;
  annotation: Annotation;
}

/** Closes the open block; reasoning gets its signature here. */
export interface BlockEnd {
  type: 'block-end';
  index: number;
  signature?: string;
}

/** The last event of a complete generation; `usage` is absent if the upstream reported none. */
export interface GenerationEnd {
  type: 'generation-end';
  finish: Finish;
  usage?: Usage;
  /** The options the upstream reports it billed by. */
  served?: PriceOptions;
  /** The usage by turn, if the answer has several or other models worked on it; it sums to `usage`. */
  parts?: ModelUsage[];
  /** Tools that ran at the provider; absent where none did. */
  tools?: readonly ToolUse[];
  extra?: Extra;
}

/** The last event of a generation that failed after it had begun. */
interface GenerationError {
  type: 'generation-error';
  failure: UpstreamFailure;
}

/**
 * An upstream event passed through to a client of the same format; encoders of other formats ignore it. The blocks it
 * is about also arrive as neutral events with `relayed` set. May occur anywhere between start and end.
 */
export interface Relay {
  type: 'relay';
  format: FormatId;
  value: JsonObject;
  /** The same as JSON text, if it was not changed. */
  data?: string;
}

/**
 * All uses of hosted tools so far, from an upstream that reports them apart from the blocks; for the meter alone. May
 * occur anywhere between start and end.
 */
interface ToolsUsed {
  type: 'tools-used';
  tools: readonly ToolUse[];
}

/** Grammar: start (block-start (block-delta | block-annotation)* block-end)* (end | error). */
export type GenerationEvent =
  | GenerationStart
  | BlockStart
  | BlockDelta
  | BlockAnnotation
  | BlockEnd
  | Relay
  | ToolsUsed
  | GenerationEnd
  | GenerationError;
