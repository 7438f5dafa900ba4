import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';
import { WEATHER } from './responses-tools.ts';

const user = (...content: JsonObject[]): JsonObject => ({ type: 'message', role: 'user', content });
const said = (text: string): JsonObject => ({ type: 'input_text', text });
const ask = user(said('Hello.'));

/** The request every sample is added to. */
export const RESPONSES_BASE: JsonObject = {
  model: 'client-model',
  instructions: 'Be brief.',
  input: [ask],
  tools: [WEATHER],
};

export const RESPONSES_FIELDS: Samples = {
  model: [{ model: 'another-model' }],
  instructions: [{ instructions: 'Be kind.' }],
  'input (text)': [{ input: 'Bye.' }],
  max_output_tokens: [{ max_output_tokens: 500 }],
  max_tool_calls: [{ max_tool_calls: 3 }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  'reasoning.effort': [{ reasoning: { effort: 'high' } }],
  'reasoning.effort (none)': [{ reasoning: { effort: 'none' } }],
  'reasoning.max_tokens': [
    { max_output_tokens: 4000, reasoning: { max_tokens: 2000 } },
    { max_output_tokens: 4000 },
  ],
  'reasoning.enabled': [{ reasoning: { enabled: true } }],
  'reasoning.enabled (false)': [{ reasoning: { enabled: false } }],
  'reasoning.summary': [
    { reasoning: { effort: 'high', summary: 'auto' } },
    { reasoning: { effort: 'high' } },
  ],
  'reasoning.generate_summary': [
    { reasoning: { effort: 'high', generate_summary: 'auto' } },
    { reasoning: { effort: 'high' } },
  ],
  'text.format (text)': [{ text: { format: { type: 'text' } } }],
  'text.format (json_object)': [{ text: { format: { type: 'json_object' } } }],
  'text.format (json_schema)': [
    {
      text: {
        format: {
          type: 'json_schema',
          name: 'city',
          description: 'A city.',
          schema: WEATHER.parameters,
          strict: true,
        },
      },
    },
  ],
  'text.verbosity': [{ text: { verbosity: 'low' } }],
  include: [{ include: ['file_search_call.results'] }],
  'include (logprobs)': [{ include: ['message.output_text.logprobs'] }],
  top_logprobs: [{ top_logprobs: 3 }],
  metadata: [{ metadata: { team: 'a' } }],
  store: [{ store: false }],
  previous_response_id: [{ previous_response_id: 'resp_1' }],
  conversation: [{ conversation: 'conv_1' }],
  prompt: [{ prompt: { id: 'pmpt_1' } }],
  background: [{ background: true }],
  prompt_cache_key: [{ prompt_cache_key: 'session-1' }],
  prompt_cache_options: [{ prompt_cache_options: { mode: 'explicit' } }],
  prompt_cache_retention: [{ prompt_cache_retention: '24h' }],
  safety_identifier: [{ safety_identifier: 'u1' }],
  user: [{ user: 'u1' }],
  service_tier: [{ service_tier: 'default' }],
  'service_tier (flex)': [{ service_tier: 'flex' }],
  'truncation (disabled)': [{ truncation: 'disabled' }],
  'truncation (auto)': [{ truncation: 'auto' }],
  stream: [{ stream: true }],
  stream_options: [{ stream: true, stream_options: { include_obfuscation: false } }, { stream: true }],
  access_programs: [{ access_programs: ['a'] }],
  context_management: [{ context_management: [{ type: 'compaction' }] }],
  image: [{ image: {} }],
  moderation: [{ moderation: { model: 'm' } }],
  'any other field': [{ unheard_of: 1 }],
};
