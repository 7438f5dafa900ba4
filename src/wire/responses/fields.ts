import type { JsonObject } from '#base';
import type { ResponsesBody } from './schema.ts';

/** Known top-level fields that the neutral model lacks; sent only to upstreams of this format. */
export const RESPONSES_ONLY_FIELDS = [
  'access_programs',
  'context_management',
  'image',
  'include',
  'max_tool_calls',
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'truncation',
] as const satisfies readonly (keyof ResponsesBody)[];

/** Request fields that the answer repeats, with the API's defaults. */
export const ECHOED_FIELDS: Readonly<JsonObject> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'auto',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
};

/** Request fields that the answer repeats only if they are present. */
export const OPTIONAL_ECHOES = ['prompt_cache_options', 'prompt_cache_retention'] as const;

/** Where a body refers to other models, account objects and tools. */
export const PLACES = {
  conversation: ['input'],
  settings: ['tools', 'moderation', 'prompt_cache_options', 'context_management', 'image'],
  tools:
    /^(?:function|custom|namespace|file_search|computer(?:_use_preview)?|web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?|x_search|collections_search|mcp|code_(?:interpreter|execution)|programmatic_tool_calling|image_generation|local_shell|shell|tool_search|apply_patch)$/,
  style: 'brackets',
} as const;
