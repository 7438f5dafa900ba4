import type { Row } from './row.ts';

export const MESSAGES_TOOLS: readonly Row[] = [
  {
    field: 'tools[]',
    base: { tools: [] },
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
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
    field: 'tools[].description',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          description: 'Tells it.',
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
    field: 'tools[].type (custom)',
    base: { tools: [] },
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          type: 'custom',
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
    field: 'tools[].cache_control',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
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
    field: 'tools[].strict',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: true,
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
    field: 'tools[].defer_loading',
    base: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        {
          name: 'time',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      ],
    },
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        {
          name: 'time',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          defer_loading: true,
        },
      ],
    },
    fates: {
      messages: '→ tools[].defer_loading',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'without tool search every tool is sent at once',
  },
  {
    field: 'tools[].input_examples',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          input_examples: [{ city: 'Rom' }],
        },
      ],
    },
    fates: {
      messages: '→ tools[].input_examples[].city',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'the format has no field for it',
  },
  {
    field: 'tools[].eager_input_streaming',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          eager_input_streaming: true,
        },
      ],
    },
    fates: {
      messages: '→ tools[].eager_input_streaming',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'arguments stream as the provider streams them',
  },
  {
    field: 'tools[].allowed_callers',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          allowed_callers: ['direct'],
        },
      ],
    },
    fates: {
      messages: '→ tools[].allowed_callers[]',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'only the model calls tools elsewhere',
  },
  {
    field: 'tools[] (bash)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'bash_20250124', name: 'bash' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: '→ tools[].function',
      responses: '→ tools[].name, tools[].parameters, tools[].strict',
      gemini:
        '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters, tools[].functionDeclarations[].description',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[] (text_editor)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'text_editor_20250728', name: 'text_editor' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: '→ tools[].function',
      responses: '→ tools[].name, tools[].parameters, tools[].strict',
      gemini:
        '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters, tools[].functionDeclarations[].description',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[] (memory)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'memory_20250818', name: 'memory' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: '→ tools[].function',
      responses: '→ tools[].name, tools[].parameters, tools[].strict',
      gemini:
        '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters, tools[].functionDeclarations[].description',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[] (computer)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'computer_20251124', name: 'computer' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: 'refused: the tool type computer_20251124',
      responses: 'refused: the tool type computer_20251124',
      gemini: 'refused: the tool type computer_20251124',
      converse: 'refused: the tool type computer_20251124',
    },
  },
  {
    field: 'tools[] (web_search), alone',
    base: { tools: [] },
    body: { tools: [{ type: 'web_search_20260209', name: 'web_search' }] },
    fates: {
      messages: '→ tools[].name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].googleSearch',
      converse: 'dropped',
    },
    why: 'a search that runs at one provider only; the model answers without it',
  },
  {
    field: 'tools[] (web_search), beside others',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'web_search_20260209', name: 'web_search' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'a search that runs at one provider only; the model answers without it; Google’s search is refused beside functions',
  },
  {
    field: 'tools[] (web_fetch)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'web_fetch_20260209', name: 'web_fetch' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'a search that runs at one provider only; the model answers without it',
  },
  {
    field: 'tools[] (code_execution)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'code_execution_20260120', name: 'code_execution' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'it runs at Anthropic only; the model answers without it',
  },
  {
    field: 'tools[] (tool_search)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      ],
    },
    fates: {
      messages: '→ tools[].name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'without tool search every tool is sent at once',
  },
  {
    field: 'tools[] (mcp_toolset)',
    body: {
      tools: [
        {
          name: 'weather',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        { type: 'mcp_toolset', mcp_server_name: 't' },
      ],
    },
    fates: {
      messages: '→ tools[].mcp_server_name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'its servers are called by Anthropic only',
  },
  {
    field: 'tool_choice (auto)',
    body: { tool_choice: { type: 'auto' } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.auto',
    },
  },
  {
    field: 'tool_choice (any)',
    body: { tool_choice: { type: 'any' } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.any',
    },
  },
  {
    field: 'tool_choice (tool)',
    body: { tool_choice: { type: 'tool', name: 'weather' } },
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
    field: 'tool_choice (none)',
    body: { tool_choice: { type: 'none' } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tool_choice (any other)',
    body: { tool_choice: { type: 'unheard_of' } },
    fates: {
      messages: '→ tool_choice.type',
      chat: 'refused: this tool_choice',
      responses: 'refused: this tool_choice',
      gemini: 'dropped',
      converse: 'refused: this tool_choice',
    },
    why: 'a choice newer than this table counts as none',
  },
  {
    field: 'tool_choice.disable_parallel_tool_use',
    base: { tool_choice: { type: 'auto' } },
    body: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
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
