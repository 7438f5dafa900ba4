import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';
import { WEATHER } from './chat-tools.ts';

const ask = { role: 'user', content: 'Hello.' };
const sys = { role: 'system', content: 'Be brief.' };

/** The request every sample is added to. */
export const CHAT_BASE: JsonObject = { model: 'client-model', messages: [sys, ask], tools: [WEATHER] };

export const CHAT_FIELDS: Samples = {
  model: [{ model: 'another-model' }],
  max_completion_tokens: [{ max_completion_tokens: 500 }],
  max_tokens: [{ max_tokens: 500 }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  top_k: [{ top_k: 20 }],
  frequency_penalty: [{ frequency_penalty: 0.5 }],
  presence_penalty: [{ presence_penalty: 0.5 }],
  seed: [{ seed: 7 }],
  n: [{ n: 2 }],
  stop: [{ stop: ['END'] }],
  stream: [{ stream: true }],
  'stream_options.include_usage': [
    { stream: true, stream_options: { include_usage: true } },
    { stream: true },
  ],
  'response_format (text)': [{ response_format: { type: 'text' } }],
  'response_format (json_object)': [{ response_format: { type: 'json_object' } }],
  'response_format (json_schema)': [
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'city',
          description: 'A city.',
          schema: WEATHER.function.parameters,
          strict: true,
        },
      },
    },
  ],
  reasoning_effort: [{ reasoning_effort: 'high' }],
  'reasoning_effort (none)': [{ reasoning_effort: 'none' }],
  'reasoning.effort': [{ reasoning: { effort: 'high' } }],
  'reasoning.max_tokens': [{ max_tokens: 4000, reasoning: { max_tokens: 2000 } }, { max_tokens: 4000 }],
  'reasoning.enabled': [{ reasoning: { enabled: true } }],
  'reasoning.enabled (false)': [{ reasoning: { enabled: false } }],
  'reasoning.exclude': [{ reasoning: { effort: 'high', exclude: true } }, { reasoning: { effort: 'high' } }],
  'reasoning.summary': [
    { reasoning: { effort: 'high', summary: 'auto' } },
    { reasoning: { effort: 'high' } },
  ],
  include_reasoning: [{ reasoning_effort: 'high', include_reasoning: false }, { reasoning_effort: 'high' }],
  'thinking (enabled)': [
    { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    { max_tokens: 4000 },
  ],
  'thinking (adaptive)': [{ thinking: { type: 'adaptive' } }],
  'thinking (auto)': [{ thinking: { type: 'auto' } }],
  'thinking (disabled)': [{ thinking: { type: 'disabled' } }],
  'thinking.display': [
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { thinking: { type: 'adaptive' } },
  ],
  enable_thinking: [{ enable_thinking: true }],
  'enable_thinking (false)': [{ enable_thinking: false }],
  thinking_budget: [{ max_tokens: 4000, thinking_budget: 2000 }, { max_tokens: 4000 }],
  'usage.include': [{ stream: true, usage: { include: true } }, { stream: true }],
  verbosity: [{ verbosity: 'low' }],
  user: [{ user: 'u1' }],
  safety_identifier: [{ safety_identifier: 'u1' }],
  service_tier: [{ service_tier: 'default' }],
  'service_tier (flex)': [{ service_tier: 'flex' }],
  metadata: [{ metadata: { team: 'a' } }],
  store: [{ store: true }],
  prompt_cache_key: [{ prompt_cache_key: 'session-1' }],
  prompt_cache_options: [{ prompt_cache_options: { mode: 'explicit' } }],
  prompt_cache_retention: [{ prompt_cache_retention: '24h' }],
  logprobs: [{ logprobs: true }],
  top_logprobs: [{ top_logprobs: 3 }],
  logit_bias: [{ logit_bias: { 50256: -100 } }],
  modalities: [{ modalities: ['text', 'audio'] }],
  'modalities (image)': [{ modalities: ['text', 'image'] }],
  audio: [{ audio: { voice: 'alloy', format: 'mp3' } }],
  prediction: [{ prediction: { type: 'content', content: 'x' } }],
  moderation: [{ moderation: { model: 'm' } }],
  web_search_options: [{ web_search_options: { search_context_size: 'low' } }],
  'any other field': [{ unheard_of: 1 }],
};
