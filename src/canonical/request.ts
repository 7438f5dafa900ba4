import type { JsonObject } from '#base';
import type { Block, CacheMark } from './block.ts';
import type { ClientFormatId, Extra, FormatId } from './format.ts';

export interface Turn {
  /** `system` is a system turn in mid-conversation; the opening instructions are `CanonicalRequest.system`. */
  role: 'user' | 'assistant' | 'system';
  blocks: Block[];
  extra?: Extra;
}

interface ToolCommon {
  cache?: CacheMark;
  extra?: Extra;
}

/** A function tool with a JSON Schema, run by the client. */
export interface FunctionTool extends ToolCommon {
  type: 'function';
  name: string;
  description?: string;
  inputSchema?: JsonObject;
  strict?: boolean;
  /** Loaded on demand through tool search; sent eagerly where the provider has none. */
  deferLoading?: boolean;
  /** A custom tool as a function, for upstreams without custom tools. */
  custom?: true;
}

/**
 * A tool with free-text input, optionally bound by a grammar (`custom` in the OpenAI formats); other formats get a
 * function with one string parameter.
 */
export interface CustomTool extends ToolCommon {
  type: 'custom';
  name: string;
  description?: string;
  /** `{ type: 'text' }` or `{ type: 'grammar', syntax: 'lark' | 'regex', definition }`. */
  format?: JsonObject;
}

/** A tool that only its own format knows (`web_search_20260209`, `bash_20250124`): `value` is verbatim. */
export interface NativeTool extends ToolCommon {
  type: 'native';
  format: FormatId;
  name?: string;
  value: JsonObject;
  /** Added by an item of the conversation, which is forwarded unchanged. */
  isAdded?: true;
}

export type Tool = FunctionTool | CustomTool | NativeTool;

export type ToolChoice =
  | { type: 'auto' | 'any' | 'none' }
  | { type: 'tool'; name: string }
  | { type: 'native'; format: FormatId; value: JsonObject };

/** From the weakest to the strongest. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much the caller wants the model to think; absent fields use the model's default. */
export interface ReasoningOptions {
  /**
   * `off` disables thinking, `adaptive` lets the model decide, `budget` bounds it in tokens, `between-tools` is
   * Anthropic's mode of that name.
   */
  mode?: 'off' | 'adaptive' | 'budget' | 'between-tools';
  budgetTokens?: number;
  effort?: Effort;
  /** Whether the thinking is returned (Anthropic `thinking.display`). */
  display?: string;
}

export type OutputShape =
  | { type: 'json' }
  | { type: 'json-schema'; name: string; schema: JsonObject; strict?: boolean; description?: string };

export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  seed?: number;
}

/** A name in a body and its path: `fallbacks.0.model`. */
interface NameAtPath {
  name: string;
  path: string;
}

/** A model named besides `model`. `default` is the provider's choice. */
export type NamedModel = NameAtPath;

/** A tool of an unknown type. */
export type UnknownTool = NameAtPath;

/** Something kept in an account at a provider: a file, a container, a cache. Its name is its id there. */
export interface AccountObject extends NameAtPath {
  /** An address: any provider that receives it, in any format, may read it with its account. */
  isAddress?: true;
  /** The request can be answered without it. */
  isSpare?: true;
  /** The conversation that the request continues: nothing else can take its place. */
  isConversation?: true;
}

/** References in a body to things outside it; each list is absent if it would be empty. */
export interface References {
  /** Models the provider may use besides `model`. */
  otherModels?: NamedModel[];
  /** Objects of an account at the provider. */
  accountObjects?: AccountObject[];
  unknownTools?: UnknownTool[];
  /** The provider stores the answer under its id, so that later requests can continue from it. */
  isAnswerKept?: true;
}

/** A caller's request, independent of its format. */
export interface CanonicalRequest extends References {
  /** The model as the caller wrote it. */
  model: string;
  system: Block[];
  turns: Turn[];
  tools: Tool[];
  toolChoice?: ToolChoice;
  /** `false` allows at most one tool call per turn; absent sends nothing upstream. */
  parallelToolCalls?: boolean;
  /** The caller knows only Chat's deprecated `functions`: it reads one `function_call` and no `tool_calls`. */
  legacyCalls?: true;
  maxOutputTokens?: number;
  stopSequences: string[];
  sampling: Sampling;
  reasoning?: ReasoningOptions;
  output?: OutputShape;
  /** Whether the answer is streamed as server-sent events. */
  stream: boolean;
  /** Chat's `stream_options.include_usage`; the other formats always report usage. */
  streamUsage: boolean;
  /** Number of generations (`n`); 1 unless a Chat caller requests more. */
  choices: number;
  /** The caller's name for its end user (`metadata.user_id`, `safety_identifier`, `user`). */
  endUser?: string;
  serviceTier?: string;
  /** The caller's session, the same for all its turns; upstreams use it to route to a warm prompt cache. */
  sessionId?: string;
  /** `anthropic-beta` values, in order. */
  betas: string[];
  /** `anthropic-version`, if one was sent. */
  version?: string;
  /** Headers in which Claude Code describes itself, for providers of its format; absent if there are none. */
  clientHeaders?: Readonly<Record<string, string>>;
  /** Named top-level fields that only their own format has (`container`, `logit_bias`, …). */
  extra?: Extra;
  /** The start of its answer, which another provider has begun: also the last of the turns, but not in `origin`. */
  answerStart?: string;
  /** The parsed body this request was decoded from, which a provider of the same format may be sent. Never mutated. */
  origin: { format: ClientFormatId; body: JsonObject };
}
