import type { JsonObject } from '#base';
import type { Extra, FormatId } from './format.ts';

/** A prompt-cache breakpoint after this block or tool. No `ttl` means the provider's default (5 minutes at Anthropic). */
export interface CacheMark {
  ttl?: '5m' | '1h' | '30m' | '12h';
}

interface BlockCommon {
  cache?: CacheMark;
  extra?: Extra;
}

/** A citation of a text block, as its format sent it. */
export interface Annotation {
  format: FormatId;
  value: JsonObject;
}

export interface TextBlock extends BlockCommon {
  type: 'text';
  text: string;
  /** The text is the model's refusal. */
  refusal?: true;
  annotations?: Annotation[];
}

/**
 * Thinking. Signed or encrypted reasoning is only sent back to its issuer. A signature without text right before a tool
 * call signs that call (Gemini's `thoughtSignature`).
 */
export interface ReasoningBlock extends BlockCommon {
  type: 'reasoning';
  text: string;
  signature?: string;
  /** Encrypted reasoning (`redacted_thinking.data`); then `text` is empty. */
  redacted?: string;
  /** The issuer of the signature or encryption (`Dialect.issuer`); absent for plain text reasoning. */
  issuer?: string;
}

/** Arguments as JSON text (never empty: no arguments is `{}`), or as the parsed object if a request sent one. */
type ToolInput = { json: string } | { value: JsonObject };

export interface ToolCallBlock extends BlockCommon {
  type: 'tool-call';
  id: string;
  name: string;
  input: ToolInput;
  /** A call of a `CustomTool`: `json` holds free text, not JSON. */
  custom?: true;
}

export interface ToolResultBlock extends BlockCommon {
  type: 'tool-result';
  callId: string;
  blocks: Block[];
  isError: boolean;
}

export type MediaSource =
  | { url: string }
  | { base64: string }
  | { text: string }
  | { blocks: Block[] }
  | { fileId: string; format: FormatId };

export interface MediaBlock extends BlockCommon {
  type: 'media';
  kind: 'image' | 'document' | 'audio';
  /** For example `image/png`; unknown for URLs and files. */
  mediaType?: string;
  source: MediaSource;
  title?: string;
  context?: string;
}

/** A block only its own format understands (`server_tool_use`, `tool_reference`, …): replayed verbatim there, dropped elsewhere. */
export interface NativeBlock extends BlockCommon {
  type: 'native';
  format: FormatId;
  value: JsonObject;
  /** The documents in it, as base64. */
  documents?: readonly string[];
  /** The images in it, as data URLs or where they are. */
  pictures?: readonly string[];
}

export type Block = TextBlock | ReasoningBlock | ToolCallBlock | ToolResultBlock | MediaBlock | NativeBlock;

/** A tool call's arguments as JSON text; of a custom call the free text it holds. */
export function inputJsonOf(call: ToolCallBlock): string {
  if ('json' in call.input) return call.input.json === '' && !call.custom ? '{}' : call.input.json;
  return JSON.stringify(call.input.value);
}
