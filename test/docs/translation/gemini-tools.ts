import type { Row } from './row.ts';

export const GEMINI_TOOLS: readonly Row[] = [
  {
    field: 'tools[].functionDeclarations[]',
    base: { tools: [] },
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
            },
          ],
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
    field: 'tools[].functionDeclarations[].description',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
              description: 'Tells it.',
            },
          ],
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
    field: 'tools[].functionDeclarations[].parametersJsonSchema',
    base: { tools: [{ functionDeclarations: [{ name: 'weather' }] }] },
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
            },
          ],
        },
      ],
    },
    fates: {
      messages: '→ tools[].input_schema',
      chat: '→ tools[].function',
      responses: '→ tools[].parameters',
      gemini: '→ tools[].functionDeclarations[].parametersJsonSchema',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'tools[].functionDeclarations[].response',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
              response: { type: 'STRING' },
            },
          ],
        },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].functionDeclarations[].response',
      converse: 'dropped',
    },
    why: 'what a tool gives is told by its result',
  },
  {
    field: 'tools[].functionDeclarations[].behavior',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
              behavior: 'NON_BLOCKING',
            },
          ],
        },
      ],
    },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].functionDeclarations[].behavior',
      converse: 'dropped',
    },
    why: 'calls are waited for',
  },
  {
    field: 'tools[].googleSearch',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
            },
          ],
        },
        { googleSearch: {} },
      ],
    },
    fates: {
      messages: 'refused: the tool without a name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].googleSearch',
      converse: 'refused: the tool without a name',
    },
    why: 'a search that runs at one provider only; the model answers without it',
  },
  {
    field: 'tools[].codeExecution',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
            },
          ],
        },
        { codeExecution: {} },
      ],
    },
    fates: {
      messages: 'refused: the tool without a name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].codeExecution',
      converse: 'refused: the tool without a name',
    },
    why: 'it runs at Google only; the model answers without it',
  },
  {
    field: 'tools[].urlContext',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
            },
          ],
        },
        { urlContext: {} },
      ],
    },
    fates: {
      messages: 'refused: the tool without a name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].urlContext',
      converse: 'refused: the tool without a name',
    },
    why: 'a search that runs at one provider only; the model answers without it',
  },
  {
    field: 'tools[] (any other)',
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
            },
          ],
        },
        { unheardOf: {} },
      ],
    },
    fates: {
      messages: 'refused: the tool without a name',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ tools[].unheardOf',
      converse: 'refused: the tool without a name',
    },
    why: 'it runs at Google only; the model answers without it',
  },
  {
    field: 'toolConfig.functionCallingConfig.mode (AUTO)',
    body: { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.auto',
    },
  },
  {
    field: 'toolConfig.functionCallingConfig.mode (ANY)',
    body: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.any',
    },
  },
  {
    field: 'toolConfig.functionCallingConfig.mode (NONE)',
    body: { toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.tools[].toolSpec',
    },
  },
  {
    field: 'toolConfig.functionCallingConfig.mode (VALIDATED)',
    body: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
    fates: {
      messages: '→ tool_choice.type',
      chat: '→ tool_choice',
      responses: '→ tool_choice',
      gemini: '→ toolConfig.functionCallingConfig.mode',
      converse: '→ toolConfig.toolChoice.auto',
    },
  },
  {
    field: 'toolConfig.functionCallingConfig.allowedFunctionNames',
    base: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    body: { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } } },
    fates: {
      messages: '→ tool_choice.name',
      chat: '→ tool_choice.function.name',
      responses: '→ tool_choice.name',
      gemini: '→ toolConfig.functionCallingConfig.allowedFunctionNames[]',
      converse: '→ toolConfig.toolChoice.tool',
    },
  },
  {
    field: 'toolConfig.retrievalConfig',
    body: { toolConfig: { retrievalConfig: { languageCode: 'de' } } },
    fates: {
      messages: 'dropped',
      chat: 'dropped',
      responses: 'dropped',
      gemini: '→ toolConfig.retrievalConfig.languageCode',
      converse: 'dropped',
    },
    why: 'it steers tools that run at Google only',
  },
];
