/** Top-level request fields that are forwarded to a Messages upstream; any other is dropped. */
export const REQUEST_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'cache_control',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'stream',
  'metadata',
  'service_tier',
  'container',
  'speed',
  'inference_geo',
  'diagnostics',
  'temperature',
  'top_p',
  'top_k',
  'context_management',
  'mcp_servers',
  'compaction',
  'fallbacks',
  'fallback_credit_token',
  'thread',
  'billing_policy',
]);

/** Top-level fields that no other format has. */
export const MESSAGES_ONLY_FIELDS = [
  'cache_control',
  'metadata',
  'service_tier',
  'container',
  'speed',
  'inference_geo',
  'diagnostics',
  'context_management',
  'mcp_servers',
  'compaction',
  'fallbacks',
  'fallback_credit_token',
  'thread',
  'billing_policy',
] as const;

/** Top-level fields that need an `anthropic-beta` value; without the header they are refused as extra inputs. */
export const BETA_FIELDS: ReadonlySet<string> = new Set([
  'output_format',
  'context_management',
  'mcp_servers',
  'compaction',
  'fallbacks',
  'fallback_credit_token',
  'thread',
  'billing_policy',
  'speed',
]);

/** Tool fields introduced with an `anthropic-beta` value. */
export const BETA_TOOL_FIELDS: ReadonlySet<string> = new Set([
  'defer_loading',
  'strict',
  'input_examples',
  'eager_input_streaming',
  'allowed_callers',
]);

/** Top-level fields that `count_tokens` accepts. */
export const COUNT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'cache_control',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'context_management',
  'mcp_servers',
  'speed',
]);

export const TOOL_SEARCH_PREFIX = 'tool_search_tool_';

/** Where a body refers to other models, to objects of an account and to tools. */
export const PLACES = {
  conversation: ['system', 'messages'],
  settings: [
    'tools',
    'container',
    'fallbacks',
    'mcp_servers',
    'thread',
    'diagnostics',
    'context_management',
    'compaction',
  ],
  tools:
    /^(?:custom|mcp_toolset|(?:bash|text_editor|memory|computer(?:_toolset)?|browser(?:_toolset)?|web_search|web_fetch|code_execution|advisor|tool_search_tool_(?:regex|bm25))(?:_\d{8})?)$/,
  style: 'dots',
} as const;
