import type { Effort } from './request.ts';

/**
 * What an upstream can and cannot say, declared per provider and refined per model in the catalogue.
 * Encoders read these facts; no encoder knows a provider's name.
 */
export interface Dialect {
  /** Field that bounds the output in Chat bodies. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Role of the opening instructions in Chat bodies. */
  systemRole: 'system' | 'developer';
  /** System turns in mid-conversation: kept in place, or said by the user where the upstream refuses them. */
  midSystem: 'in-place' | 'as-user';
  /** Sampling parameters: `none` for models that refuse temperature, top_p and penalties. */
  sampling: 'full' | 'no-penalties' | 'none';
  /** Whether `top_k` is understood. */
  topK: boolean;
  /** Highest temperature accepted. */
  maxTemperature: number;
  /** How many stop sequences are accepted; 0 where the parameter is refused. */
  maxStopSequences: number;
  /** Where a wish for reasoning goes: the field of the body, or `none` where nothing is sent. */
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
  /** Efforts the model accepts, weakest first; empty where it takes none. */
  efforts: Effort[];
  /** Whether an effort may be asked for together with tools (GPT-5.2 and later refuse that in Chat: openai/openai-openapi#541). */
  effortWithTools: boolean;
  /** Thinking modes an Anthropic-format model accepts. */
  thinkingModes: ('adaptive' | 'budget' | 'disabled')[];
  /** Field by which plain reasoning goes back upstream in history; `none` drops it. */
  reasoningReplay: 'none' | 'reasoning_content' | 'reasoning';
  /**
   * Whose signatures and encrypted reasoning this upstream makes and takes back. Upstreams that accept each other's share
   * a name (Anthropic's signatures are good on Bedrock and Vertex too).
   */
  issuer: string;
  /** Whether a call without its `thoughtSignature` is refused (Gemini 3), so that calls of other models need a stand-in. */
  thoughtSignatures: 'required' | 'optional';
  /** Longest tool call id accepted, or the exact alphabet some upstreams insist on. */
  toolCallId: { maxLength: number; alphabet: 'word' | 'alphanumeric'; exactLength?: number };
  /** Longest tool name accepted. */
  maxToolName: number;
  /** Whether `parallel_tool_calls` is understood. */
  parallelToolCalls: boolean;
  /** Whether `tool_choice` may name a tool or require one; otherwise only auto and none. */
  forcedToolChoice: boolean;
  /** Whether tools of free text (`custom`) are understood; otherwise they become functions of one string. */
  customTools: boolean;
  /** Whether `strict` on tools is understood. */
  strictTools: boolean;
  /** Structured output: a JSON Schema, JSON without one, or nothing. */
  structuredOutput: 'json-schema' | 'json' | 'none';
  /** How prompt-cache marks are said; `none` drops them. */
  cacheMarks: 'cache_control' | 'prompt_cache_breakpoint' | 'cachePoint' | 'none';
  /** Whether `prompt_cache_key` is understood. */
  promptCacheKey: boolean;
  /** Whether `stream_options.include_usage` is understood. */
  streamUsage: boolean;
  /** Which media a user turn may carry. */
  media: { image: boolean; imageUrl: boolean; document: boolean; audio: boolean };
  /** Whether a Gemini model takes media inside tool results; otherwise they stand beside them. */
  resultMedia: boolean;
  /** Whether the conversation may end with an assistant turn (prefill). */
  prefill: boolean;
  /** Whether `anthropic-beta` values and the fields that go with them are understood. */
  betas: 'verbatim' | 'listed' | 'none';
  /** The `anthropic-beta` values an upstream with `listed` ones accepts; any other is refused by name. */
  allowedBetas: string[];
  /** Whether the upstream understands tool search and `defer_loading`. */
  toolSearch: boolean;
  /** Whether the upstream counts a prompt's tokens itself (`/messages/count_tokens`). */
  countTokens: boolean;
  /** `completion_tokens` leaves reasoning tokens out (xAI). */
  completionExcludesReasoning: boolean;
  /** Fields of the Chat body to leave out because the upstream refuses them. */
  refusedFields: string[];
}

/** What an OpenAI-compatible upstream is assumed to understand unless the catalogue says otherwise. */
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
  betas: 'none',
  allowedBetas: [],
  toolSearch: false,
  countTokens: false,
  completionExcludesReasoning: false,
  refusedFields: [],
};

/** What an Anthropic-compatible upstream is assumed to understand unless the catalogue says otherwise. */
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
  media: { image: true, imageUrl: true, document: true, audio: false },
  betas: 'verbatim',
  toolSearch: true,
};

/** What a Responses upstream is assumed to understand unless the catalogue says otherwise. */
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

/** What a Gemini upstream is assumed to understand unless the catalogue says otherwise. */
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

/** What a model on Bedrock's Converse is assumed to understand unless the catalogue says otherwise. */
export const CONVERSE_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  midSystem: 'as-user',
  sampling: 'no-penalties',
  maxTemperature: 1,
  reasoningField: 'none',
  issuer: 'bedrock',
  parallelToolCalls: false,
  media: { image: true, imageUrl: false, document: true, audio: false },
};

/** The upstream model an exchange is for. */
export interface Target {
  providerId: string;
  /** The provider's name for the model. */
  externalId: string;
  dialect: Dialect;
  /** Most output tokens the model gives, where known. */
  maxOutput?: number;
  /** Whether the model reasons at all. */
  reasoning: boolean;
}
