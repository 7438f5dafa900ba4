import type { FormatId } from './format.ts';
import type { Effort } from './request.ts';

/**
 * What an upstream supports, declared per provider and refined per model in the catalogue. Encoders read these facts;
 * no encoder knows a provider's name.
 */
export interface Dialect {
  /** Field that bounds the output in Chat bodies. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Role of the opening instructions in Chat bodies. */
  systemRole: 'system' | 'developer';
  /** System turns in mid-conversation: kept in place, or sent as user turns if the upstream refuses them. */
  midSystem: 'in-place' | 'as-user';
  /** Sampling parameters: `none` for models that refuse temperature, top_p and penalties. */
  sampling: 'full' | 'no-penalties' | 'none';
  /** Whether `top_k` is supported. */
  topK: boolean;
  /** Highest temperature accepted. */
  maxTemperature: number;
  /** How many stop sequences are accepted; 0 if the parameter is refused. */
  maxStopSequences: number;
  /** Where requested reasoning is sent: the field of the body, or `none` to send nothing. */
  reasoningField:
    | 'none'
    | 'reasoning_effort' // "reasoning_effort": "high"
    | 'reasoning.effort' // "reasoning": { "effort": "high" }
    | 'thinking.type' // "thinking": { "type": "enabled" | "disabled" }
    | 'enable_thinking' // "enable_thinking": true, "thinking_budget": n
    | 'thinking' // Anthropic's `thinking` and `output_config.effort`
    | 'reasoningConfig' // Bedrock's Nova: "reasoningConfig": { "type": "enabled", "maxReasoningEffort": "low" }
    | 'thinkingLevel' // Gemini 3: `thinkingConfig.thinkingLevel`
    | 'thinkingBudget'; // Gemini 2.5: `thinkingConfig.thinkingBudget`
  /** Efforts the model accepts, weakest first; empty if it accepts none. */
  efforts: Effort[];
  /**
   * Whether an effort may be sent together with tools (GPT-5.2 and later refuse that in Chat:
   * openai/openai-openapi#541).
   */
  effortWithTools: boolean;
  /** Thinking modes an Anthropic-format model accepts. */
  thinkingModes: ('adaptive' | 'between_tools' | 'budget' | 'disabled')[];
  /** Field that returns plain reasoning to the upstream in history; `none` drops it. */
  reasoningReplay: 'none' | 'reasoning_content' | 'reasoning';
  /**
   * Identifies the signatures and encrypted reasoning this upstream issues and accepts. Upstreams that accept each
   * other's share a name (Anthropic's signatures are valid on Bedrock and Vertex too).
   */
  issuer: string;
  /**
   * Whether a call without its `thoughtSignature` is refused (Gemini 3), so that calls of other models need a
   * placeholder.
   */
  thoughtSignatures: 'required' | 'optional';
  /** Longest tool call id accepted, or the exact alphabet some upstreams require. */
  toolCallId: { maxLength: number; alphabet: 'word' | 'alphanumeric'; exactLength?: number };
  /** Longest tool name accepted. */
  maxToolName: number;
  /** Whether `parallel_tool_calls` is supported. */
  parallelToolCalls: boolean;
  /** Whether `tool_choice` may name a tool or require one; otherwise only auto and none. */
  forcedToolChoice: boolean;
  /** Whether tools with free text input (`custom`) are supported; otherwise they become functions of one string. */
  customTools: boolean;
  /** Whether `strict` on tools is supported. */
  strictTools: boolean;
  /** Structured output: with a JSON Schema, as plain JSON, or not at all. */
  structuredOutput: 'json-schema' | 'json' | 'none';
  /** The field for prompt-cache marks; `none` drops them. */
  cacheMarks: 'cache_control' | 'prompt_cache_breakpoint' | 'cachePoint' | 'none';
  /** Whether `prompt_cache_key` is supported. */
  promptCacheKey: boolean;
  /** Whether `stream_options.include_usage` is supported. */
  streamUsage: boolean;
  /** Which media a user turn may carry. */
  media: { image: boolean; imageUrl: boolean; document: boolean; audio: boolean };
  /** Whether a Gemini model accepts media inside tool results; otherwise they are sent alongside them. */
  resultMedia: boolean;
  /** Whether the conversation may end with an assistant turn (prefill). */
  prefill: boolean;
  /** Whether the model continues such a turn where it ends; others answer it, or start over. */
  continuesPrefill: boolean;
  /** Whether `anthropic-beta` values and the fields they enable are supported. */
  betas: 'verbatim' | 'listed' | 'none';
  /**
   * The `anthropic-beta` values an upstream with `listed` ones accepts; any other is refused with an error that names
   * it.
   */
  allowedBetas: string[];
  /** Whether the upstream supports tool search and `defer_loading`. */
  toolSearch: boolean;
  /** Whether the upstream counts a prompt's tokens itself: `count_tokens` of Messages, `countTokens` of Gemini, `input_tokens` of Responses. */
  countTokens: boolean;
  /** `completion_tokens` excludes reasoning tokens (xAI). */
  completionExcludesReasoning: boolean;
  /** Fields of the Chat body to omit because the upstream refuses them. */
  refusedFields: string[];
}

/** Defaults for an OpenAI-compatible upstream, unless the catalogue overrides them. */
export const CHAT_DIALECT: Dialect = {
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  midSystem: 'in-place',
  sampling: 'full',
  topK: false,
  maxTemperature: 2,
  maxStopSequences: 4,
  reasoningField: 'reasoning_effort',
  efforts: [],
  effortWithTools: true,
  thinkingModes: [],
  reasoningReplay: 'none',
  issuer: 'chat',
  thoughtSignatures: 'optional',
  toolCallId: { maxLength: 64, alphabet: 'word' },
  maxToolName: 64,
  parallelToolCalls: true,
  forcedToolChoice: true,
  customTools: false,
  strictTools: false,
  structuredOutput: 'json-schema',
  cacheMarks: 'none',
  promptCacheKey: false,
  streamUsage: true,
  media: { image: true, imageUrl: true, document: false, audio: false },
  resultMedia: false,
  prefill: true,
  continuesPrefill: false,
  betas: 'none',
  allowedBetas: [],
  toolSearch: false,
  countTokens: false,
  completionExcludesReasoning: false,
  refusedFields: [],
};

/** Defaults for an Anthropic-compatible upstream, unless the catalogue overrides them. */
export const MESSAGES_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  sampling: 'no-penalties',
  topK: true,
  maxTemperature: 1,
  maxStopSequences: 8191,
  reasoningField: 'thinking',
  thinkingModes: ['budget', 'disabled'],
  issuer: 'anthropic',
  toolCallId: { maxLength: 256, alphabet: 'word' },
  maxToolName: 128,
  strictTools: true,
  cacheMarks: 'cache_control',
  continuesPrefill: true,
  media: { image: true, imageUrl: true, document: true, audio: false },
  betas: 'verbatim',
  toolSearch: true,
};

/** Defaults for a Responses upstream, unless the catalogue overrides them. */
export const RESPONSES_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  sampling: 'no-penalties',
  maxStopSequences: 0,
  reasoningField: 'reasoning.effort',
  issuer: 'openai',
  systemRole: 'developer',
  customTools: true,
  strictTools: true,
  promptCacheKey: true,
  media: { image: true, imageUrl: true, document: true, audio: false },
  prefill: false,
};

/** Defaults for a Gemini upstream, unless the catalogue overrides them. */
export const GEMINI_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  midSystem: 'as-user',
  topK: true,
  maxStopSequences: 5,
  sampling: 'no-penalties',
  reasoningField: 'thinkingLevel',
  issuer: 'google',
  thoughtSignatures: 'required',
  parallelToolCalls: false,
  media: { image: true, imageUrl: false, document: true, audio: true },
  resultMedia: true,
  prefill: false,
};

/** Defaults for a model on Bedrock's Converse, unless the catalogue overrides them. */
export const CONVERSE_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  midSystem: 'as-user',
  sampling: 'no-penalties',
  maxTemperature: 1,
  reasoningField: 'none',
  issuer: 'bedrock',
  parallelToolCalls: false,
  media: { image: true, imageUrl: false, document: true, audio: false },
  continuesPrefill: true,
};

/** The defaults of each format. */
export const FORMAT_DIALECTS: Readonly<Record<FormatId, Dialect>> = {
  chat: CHAT_DIALECT,
  messages: MESSAGES_DIALECT,
  responses: RESPONSES_DIALECT,
  gemini: GEMINI_DIALECT,
  converse: CONVERSE_DIALECT,
};

/** Where the gateway sets cache marks: behind tools and instructions, or behind the conversation too. */
export type SetMarks = 'instructions' | 'conversation';

/** The upstream model of an exchange. */
export interface Target {
  providerId: string;
  /** The provider's name for the model. */
  externalId: string;
  dialect: Dialect;
  /** The model's maximum output in tokens, if known. */
  maxOutput?: number;
  reasoning: boolean;
  /** Cache marks to set in a request that has none. */
  marks?: SetMarks;
}
