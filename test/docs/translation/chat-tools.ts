import type { Samples } from './samples.ts';

/** A tool of the requests. */
export const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};
const CACHED = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };

export const CHAT_TOOLS: Samples = {
  'tools[] (function)': [{ tools: [WEATHER] }, { tools: [] }],
  'tools[].function.description': [
    { tools: [{ ...WEATHER, function: { ...WEATHER.function, description: 'Tells it.' } }] },
  ],
  'tools[].function.strict': [{ tools: [{ ...WEATHER, function: { ...WEATHER.function, strict: true } }] }],
  'tools[] (custom)': [
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            description: 'Applies it.',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
          },
        },
      ],
    },
    { tools: [] },
  ],
  'tools[].cache_control': [{ tools: [{ ...WEATHER, ...CACHED }] }],
  'tools[].prompt_cache_breakpoint': [{ tools: [{ ...WEATHER, ...BREAKPOINT }] }],
  'functions[]': [{ functions: [WEATHER.function] }, { tools: [] }],
  'tool_choice (none)': [{ tool_choice: 'none' }],
  'tool_choice (auto)': [{ tool_choice: 'auto' }],
  'tool_choice (required)': [{ tool_choice: 'required' }],
  'tool_choice (function)': [{ tool_choice: { type: 'function', function: { name: 'weather' } } }],
  'tool_choice (custom)': [
    {
      tools: [{ type: 'custom', custom: { name: 'patch' } }],
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
    },
    { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  ],
  'tool_choice (allowed_tools)': [
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
  ],
  function_call: [{ function_call: { name: 'weather' } }],
  parallel_tool_calls: [{ parallel_tool_calls: false }],
};
