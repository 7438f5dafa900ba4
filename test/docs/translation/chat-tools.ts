import type { Row } from './row.ts';

export const CHAT_TOOLS: readonly Row[] = [
  {
    field: 'tools[] (function)',
    base: { tools: [] },
    body: {
      tools: [
        {
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
        },
      ],
    },
    fates: {
      messages: '→ tools[].name, tools[].input_schema',
      chat: '→ tools[].function',
      responses: '→ tools[].name, tools[].parameters, tools[].strict',
      gemini: '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[].function.description',
    body: {
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
              additionalProperties: false,
            },
            description: 'Tells it.',
          },
        },
      ],
    },
    fates: {
      messages: '→ tools[].description',
      chat: '→ tools[].function',
      responses: '→ tools[].description',
      gemini: '→ tools[].functionDeclarations[].description',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[].function.strict',
    body: {
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' } },
              required: ['city'],
              additionalProperties: false,
            },
            strict: true,
          },
        },
      ],
    },
    fates: {
      messages: '→ tools[].strict',
      chat: '→ tools[].function',
      responses: '→ tools[].strict',
      gemini: 'dropped',
      converse: '→ toolConfig.tools[].toolSpec',
    },
    why: 'arguments are held to the schema as the model sees fit',
  },
  {
    field: 'tools[] (custom)',
    base: { tools: [] },
    body: {
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
    fates: {
      messages: '→ tools[].name, tools[].input_schema, tools[].description',
      chat: '→ tools[].custom',
      responses: '→ tools[].name, tools[].description',
      gemini:
        '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].description, tools[].functionDeclarations[].parameters',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[].cache_control',
    body: {
      tools: [
        {
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
          cache_control: { type: 'ephemeral', ttl: '1h' },
        },
      ],
    },
    fates: {
      messages: '→ tools[].cache_control',
      chat: '→ tools[].cache_control',
      responses: 'dropped',
      gemini: 'dropped',
      converse: '→ toolConfig.tools[].cachePoint',
    },
    why: 'marks of tools have no place in the format; marks of messages cover the tools before them',
  },
  {
    field: 'tools[].prompt_cache_breakpoint',
    body: {
      tools: [
        {
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
          prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' },
        },
      ],
    },
    fates: {
      messages: '→ tools[].cache_control',
      chat: '→ tools[].cache_control',
      responses: 'dropped',
      gemini: 'dropped',
      converse: '→ toolConfig.tools[].cachePoint',
    },
    why: 'marks of tools have no place in the format; marks of messages cover the tools before them',
  },
  {
    field: 'functions[]',
    base: { tools: [] },
    body: {
      functions: [
        {
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      ],
    },
    fates: {
      messages: '→ tools[].name, tools[].input_schema',
      chat: '→ tools[].function',
      responses: '→ tools[].name, tools[].parameters, tools[].strict',
      gemini: '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tool_choice (none)',
    body: { tool_choice: 'none' },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tool_choice (auto)',
    body: { tool_choice: 'auto' },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.auto',
    },
  },
  {
    field: 'tool_choice (required)',
    body: { tool_choice: 'required' },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.any',
    },
  },
  {
    field: 'tool_choice (function)',
    body: { tool_choice: { type: 'function', function: { name: 'weather' } } },
    fates: {
      messages: '→ tool_choice.name',
      chat: '→ tool_choice.function.name',
      responses: '→ tool_choice.name',
      gemini:
        '→ toolConfig.functionCallingConfig.mode, toolConfig.functionCallingConfig.allowedFunctionNames[]',
      converse: '→ toolConfig.toolChoice.tool',
    },
  },
  {
    field: 'tool_choice (custom)',
    base: { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    body: {
      tools: [{ type: 'custom', custom: { name: 'patch' } }],
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
    },
    fates: {
      messages: '→ tool_choice.name',
      chat: '→ tool_choice.custom.name',
      responses: '→ tool_choice.name',
      gemini:
        '→ toolConfig.functionCallingConfig.mode, toolConfig.functionCallingConfig.allowedFunctionNames[]',
      converse: '→ toolConfig.toolChoice.tool',
    },
  },
  {
    field: 'tool_choice (allowed_tools)',
    body: {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice.allowed_tools.mode, tool_choice.allowed_tools.tools[].function',
      responses: '→ tool_choice.mode, tool_choice.tools[].name',
      gemini:
        '→ toolConfig.functionCallingConfig.mode, toolConfig.functionCallingConfig.allowedFunctionNames[]',
      converse: 'refused: this tool_choice',
    },
  },
  {
    field: 'function_call',
    body: { function_call: { name: 'weather' } },
    fates: {
      messages: '→ tool_choice.name',
      chat: '→ tool_choice.function.name',
      responses: '→ tool_choice.name',
      gemini:
        '→ toolConfig.functionCallingConfig.mode, toolConfig.functionCallingConfig.allowedFunctionNames[]',
      converse: '→ toolConfig.toolChoice.tool',
    },
  },
  {
    field: 'parallel_tool_calls',
    body: { parallel_tool_calls: false },
    fates: {
      messages: '→ tool_choice.disable_parallel_tool_use',
      chat: '→ parallel_tool_calls',
      responses: '→ parallel_tool_calls',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'the format has no field for it; more than one call may come',
  },
];
