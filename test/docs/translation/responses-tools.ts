import type { Row } from './row.ts';

export const RESPONSES_TOOLS: readonly Row[] = [
  {
    field: 'tools[] (function)',
    base: { tools: [] },
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
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
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
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
    field: 'tools[].strict',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
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
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        {
          type: 'function',
          name: 'time',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
      ],
    },
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        {
          type: 'function',
          name: 'time',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
          defer_loading: true,
        },
      ],
    },
    fates: {
      messages: '→ tools[].defer_loading',
      chat: 'dropped',
      responses: '→ tools[].defer_loading',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'without tool search every tool is sent at once',
  },
  {
    field: 'tools[] (custom)',
    base: { tools: [] },
    body: {
      tools: [
        {
          type: 'custom',
          name: 'patch',
          description: 'Applies it.',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
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
    field: 'tools[] (namespace)',
    base: { tools: [] },
    body: {
      tools: [
        {
          type: 'namespace',
          name: 'mcp',
          description: 'Tools.',
          tools: [
            {
              type: 'function',
              name: 'weather',
              parameters: {
                type: 'object',
                properties: { city: { type: 'string' } },
                required: ['city'],
                additionalProperties: false,
              },
              strict: false,
            },
            { type: 'custom', name: 'patch' },
          ],
        },
      ],
    },
    fates: {
      messages: '→ tools[].name, tools[].input_schema',
      chat: '→ tools[].function, tools[].custom',
      responses: '→ tools[].name, tools[].description, tools[].tools[].name',
      gemini: '→ tools[].functionDeclarations[].name, tools[].functionDeclarations[].parameters',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[] (web_search)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'web_search' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: '→ tools[].type',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'agents offer it to every model; the model answers without it',
  },
  {
    field: 'tools[] (tool_search)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'tool_search', execution: 'server' },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: '→ tools[].execution',
      gemini: 'dropped',
      converse: 'dropped',
    },
    why: 'without tool search every tool is sent at once',
  },
  {
    field: 'tools[] (file_search)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'file_search', vector_store_ids: ['vs_1'] },
      ],
    },
    fates: {
      messages: 'refused: the tool type file_search',
      chat: 'refused: the tool type file_search',
      responses: '→ tools[].vector_store_ids[]',
      gemini: 'refused: the tool type file_search',
      converse: 'refused: the tool type file_search',
    },
  },
  {
    field: 'tools[] (code_interpreter)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
    },
    fates: {
      messages: 'refused: the tool type code_interpreter',
      chat: 'refused: the tool type code_interpreter',
      responses: '→ tools[].container',
      gemini: 'refused: the tool type code_interpreter',
      converse: 'refused: the tool type code_interpreter',
    },
  },
  {
    field: 'tools[] (mcp)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'mcp', server_label: 't', server_url: 'https://tools.test' },
      ],
    },
    fates: {
      messages: 'refused: the tool type mcp',
      chat: 'refused: the tool type mcp',
      responses: '→ tools[].server_label, tools[].server_url',
      gemini: 'refused: the tool type mcp',
      converse: 'refused: the tool type mcp',
    },
  },
  {
    field: 'tools[] (any other)',
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'unheard_of' },
      ],
    },
    fates: {
      messages: 'refused: the tool type unheard_of',
      chat: 'refused: the tool type unheard_of',
      responses: '→ tools[].type',
      gemini: 'refused: the tool type unheard_of',
      converse: 'refused: the tool type unheard_of',
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
    body: { tool_choice: { type: 'function', name: 'weather' } },
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
    base: { tools: [{ type: 'custom', name: 'patch' }] },
    body: { tools: [{ type: 'custom', name: 'patch' }], tool_choice: { type: 'custom', name: 'patch' } },
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
        mode: 'required',
        tools: [{ type: 'function', name: 'weather' }],
      },
    },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice.mode, tool_choice.tools[].name',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.any',
    },
  },
  {
    field: 'tool_choice (web_search)',
    base: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'web_search' },
      ],
    },
    body: {
      tools: [
        {
          type: 'function',
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
          strict: false,
        },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'web_search' },
    },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice.type',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.auto',
    },
  },
  {
    field: 'tool_choice (any other)',
    body: { tool_choice: { type: 'file_search' } },
    fates: {
      messages: 'refused: the choice of file_search',
      chat: 'refused: the choice of file_search',
      responses: '→ tool_choice.type',
      gemini: 'refused: the choice of file_search',
      converse: 'refused: the choice of file_search',
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
