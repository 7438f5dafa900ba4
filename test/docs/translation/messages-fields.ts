import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';
import { WEATHER } from './messages-tools.ts';

const said = (text: string): JsonObject => ({ type: 'text', text });
const ask = { role: 'user', content: 'Hello.' };
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };

/** The request every sample is added to. */
export const MESSAGES_BASE: JsonObject = {
  model: 'client-model',
  max_tokens: 100,
  system: 'Be brief.',
  messages: [ask],
  tools: [WEATHER],
};

export const MESSAGES_FIELDS: Samples = {
  model: [{ model: 'another-model' }],
  max_tokens: [{ max_tokens: 500 }],
  'max_tokens (0)': [{ max_tokens: 0 }],
  'system (text)': [{ system: 'Be kind.' }],
  'system[] (text)': [{ system: [said('Be kind.'), said('Be brief.')] }],
  'system[].cache_control': [
    { system: [{ ...said('Be brief.'), ...CACHED }] },
    { system: [said('Be brief.')] },
  ],
  cache_control: [{ cache_control: { type: 'ephemeral' } }],
  stop_sequences: [{ stop_sequences: ['END'] }],
  stream: [{ stream: true }],
  temperature: [{ temperature: 0.5 }],
  top_p: [{ top_p: 0.5 }],
  top_k: [{ top_k: 20 }],
  'thinking (enabled)': [
    { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    { max_tokens: 4000 },
  ],
  'thinking (adaptive)': [{ thinking: { type: 'adaptive' } }],
  'thinking (disabled)': [{ thinking: { type: 'disabled' } }],
  'thinking (between_tools)': [{ thinking: { type: 'between_tools' } }],
  'thinking.display': [
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { thinking: { type: 'adaptive' } },
  ],
  'thinking.block_binding': [
    { thinking: { type: 'adaptive', block_binding: 'prefix' } },
    { thinking: { type: 'adaptive' } },
  ],
  'thinking (any other)': [{ thinking: { type: 'unheard_of' } }],
  'output_config.effort': [{ output_config: { effort: 'high' } }],
  'output_config.format': [
    { output_config: { format: { type: 'json_schema', schema: WEATHER.input_schema } } },
  ],
  output_format: [{ output_format: { type: 'json_schema', schema: WEATHER.input_schema } }],
  'output_config.task_budget': [{ output_config: { task_budget: { type: 'tokens', total: 9000 } } }],
  'metadata.user_id': [{ metadata: { user_id: 'u1' } }],
  service_tier: [{ service_tier: 'standard_only' }],
  container: [{ container: 'container_1' }],
  speed: [{ speed: 'fast' }],
  inference_geo: [{ inference_geo: 'eu' }],
  diagnostics: [{ diagnostics: { previous_message_id: 'msg_1' } }],
  context_management: [{ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
  mcp_servers: [{ mcp_servers: [{ type: 'url', url: 'https://tools.test', name: 't' }] }],
  compaction: [{ compaction: { type: 'summarize' } }],
  fallbacks: [{ fallbacks: 'default' }],
  fallback_credit_token: [{ fallback_credit_token: 't' }],
  thread: [{ thread: { type: 'create' } }],
  'thread (continue)': [{ thread: { type: 'continue', previous_message_id: 'msg_1' } }],
  billing_policy: [{ billing_policy: 'x' }],
  'any other field': [{ unheard_of: 1 }],
};
