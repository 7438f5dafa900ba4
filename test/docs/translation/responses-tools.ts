import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

/** A tool of the requests. */
export const WEATHER = {
  type: 'function',
  name: 'weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: false,
};
const native = (tool: JsonObject): JsonObject => ({ tools: [WEATHER, tool] });

export const RESPONSES_TOOLS: Samples = {
  'tools[] (function)': [{ tools: [WEATHER] }, { tools: [] }],
  'tools[].description': [{ tools: [{ ...WEATHER, description: 'Tells it.' }] }],
  'tools[].strict': [{ tools: [{ ...WEATHER, strict: true }] }],
  'tools[].defer_loading': [
    { tools: [WEATHER, { ...WEATHER, name: 'time', defer_loading: true }] },
    { tools: [WEATHER, { ...WEATHER, name: 'time' }] },
  ],
  'tools[].allowed_callers': [{ tools: [{ ...WEATHER, allowed_callers: ['direct'] }] }],
  'tools[].async': [{ tools: [{ ...WEATHER, async: true }] }],
  'tools[].output_schema': [{ tools: [{ ...WEATHER, output_schema: { type: 'object' } }] }],
  'tools[] (custom)': [
    {
      tools: [
        {
          type: 'custom',
          name: 'patch',
          description: 'Applies it.',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
        },
      ],
    },
    { tools: [] },
  ],
  'tools[] (namespace)': [
    {
      tools: [
        {
          type: 'namespace',
          name: 'mcp',
          description: 'Tools.',
          tools: [WEATHER, { type: 'custom', name: 'patch' }],
        },
      ],
    },
    { tools: [] },
  ],
  'tools[] (web_search)': [native({ type: 'web_search' })],
  'tools[] (tool_search: server)': [native({ type: 'tool_search', execution: 'server' })],
  'tools[] (tool_search: client)': [
    native({ type: 'tool_search', execution: 'client', parameters: WEATHER.parameters }),
  ],
  'tools[] (file_search)': [native({ type: 'file_search', vector_store_ids: ['vs_1'] })],
  'tools[] (code_interpreter)': [native({ type: 'code_interpreter', container: { type: 'auto' } })],
  'tools[] (mcp)': [native({ type: 'mcp', server_label: 't', server_url: 'https://tools.test' })],
  'tools[] (any other)': [native({ type: 'unheard_of' })],
  'tool_choice (none)': [{ tool_choice: 'none' }],
  'tool_choice (auto)': [{ tool_choice: 'auto' }],
  'tool_choice (required)': [{ tool_choice: 'required' }],
  'tool_choice (function)': [{ tool_choice: { type: 'function', name: 'weather' } }],
  'tool_choice.namespace': [
    {
      tools: [{ type: 'namespace', name: 'mcp', tools: [WEATHER] }],
      tool_choice: { type: 'function', name: 'weather', namespace: 'mcp' },
    },
    { tools: [{ type: 'namespace', name: 'mcp', tools: [WEATHER] }] },
  ],
  'tool_choice (custom)': [
    { tools: [{ type: 'custom', name: 'patch' }], tool_choice: { type: 'custom', name: 'patch' } },
    { tools: [{ type: 'custom', name: 'patch' }] },
  ],
  'tool_choice (allowed_tools)': [
    {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'weather' }],
      },
    },
  ],
  'tool_choice (allowed_tools: auto)': [
    {
      tools: [WEATHER, { ...WEATHER, name: 'time' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
    },
    { tools: [WEATHER, { ...WEATHER, name: 'time' }] },
  ],
  'tool_choice (web_search)': [
    { ...native({ type: 'web_search' }), tool_choice: { type: 'web_search' } },
    native({ type: 'web_search' }),
  ],
  'tool_choice (any other)': [{ tool_choice: { type: 'file_search' } }],
  parallel_tool_calls: [{ parallel_tool_calls: false }],
};
