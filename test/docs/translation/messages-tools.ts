import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

/** A tool of the requests. */
export const WEATHER = {
  name: 'weather',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const native = (type: string): JsonObject => ({
  tools: [WEATHER, { type, name: type.replace(/_\d+$/, '') }],
});

export const MESSAGES_TOOLS: Samples = {
  'tools[]': [{ tools: [WEATHER] }, { tools: [] }],
  'tools[].description': [{ tools: [{ ...WEATHER, description: 'Tells it.' }] }],
  'tools[].type (custom)': [{ tools: [{ ...WEATHER, type: 'custom' }] }, { tools: [] }],
  'tools[].cache_control': [{ tools: [{ ...WEATHER, ...CACHED }] }],
  'tools[].strict': [{ tools: [{ ...WEATHER, strict: true }] }],
  'tools[].defer_loading': [
    { tools: [WEATHER, { ...WEATHER, name: 'time', defer_loading: true }] },
    { tools: [WEATHER, { ...WEATHER, name: 'time' }] },
  ],
  'tools[].input_examples': [{ tools: [{ ...WEATHER, input_examples: [{ city: 'Rom' }] }] }],
  'tools[].eager_input_streaming': [{ tools: [{ ...WEATHER, eager_input_streaming: true }] }],
  'tools[].allowed_callers': [{ tools: [{ ...WEATHER, allowed_callers: ['direct'] }] }],
  'tools[] (bash)': [native('bash_20250124')],
  'tools[] (text_editor)': [native('text_editor_20250728')],
  'tools[] (memory)': [native('memory_20250818')],
  'tools[] (computer)': [native('computer_20251124')],
  'tools[] (web_search), alone': [
    { tools: [{ type: 'web_search_20260209', name: 'web_search' }] },
    { tools: [] },
  ],
  'tools[] (web_search), beside others': [native('web_search_20260209')],
  'tools[] (web_fetch)': [native('web_fetch_20260209')],
  'tools[] (code_execution)': [native('code_execution_20260120')],
  'tools[] (tool_search)': [native('tool_search_tool_regex_20251119')],
  'tools[] (mcp_toolset)': [{ tools: [WEATHER, { type: 'mcp_toolset', mcp_server_name: 't' }] }],
  'tool_choice (auto)': [{ tool_choice: { type: 'auto' } }],
  'tool_choice (any)': [{ tool_choice: { type: 'any' } }],
  'tool_choice (tool)': [{ tool_choice: { type: 'tool', name: 'weather' } }],
  'tool_choice (none)': [{ tool_choice: { type: 'none' } }],
  'tool_choice (any other)': [{ tool_choice: { type: 'unheard_of' } }],
  'tool_choice.disable_parallel_tool_use': [
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    { tool_choice: { type: 'auto' } },
  ],
};
