import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';

/** A tool of the requests. */
export const WEATHER = {
  name: 'weather',
  parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
};
const native = (o: JsonObject): JsonObject => ({ tools: [{ functionDeclarations: [WEATHER] }, o] });
const mode = (o: JsonObject): JsonObject => ({ toolConfig: { functionCallingConfig: o } });

export const GEMINI_TOOLS: Samples = {
  'tools[].functionDeclarations[]': [{ tools: [{ functionDeclarations: [WEATHER] }] }, { tools: [] }],
  'tools[].functionDeclarations[].description': [
    { tools: [{ functionDeclarations: [{ ...WEATHER, description: 'Tells it.' }] }] },
  ],
  'tools[].functionDeclarations[].parametersJsonSchema': [
    {
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
    { tools: [{ functionDeclarations: [{ name: 'weather' }] }] },
  ],
  'tools[].functionDeclarations[].response': [
    { tools: [{ functionDeclarations: [{ ...WEATHER, response: { type: 'STRING' } }] }] },
  ],
  'tools[].functionDeclarations[].behavior': [
    { tools: [{ functionDeclarations: [{ ...WEATHER, behavior: 'NON_BLOCKING' }] }] },
  ],
  'tools[].googleSearch': [native({ googleSearch: {} })],
  'tools[].codeExecution': [native({ codeExecution: {} })],
  'tools[].urlContext': [native({ urlContext: {} })],
  'tools[] (any other)': [native({ unheardOf: {} })],
  'toolConfig.functionCallingConfig.mode (AUTO)': [mode({ mode: 'AUTO' })],
  'toolConfig.functionCallingConfig.mode (ANY)': [mode({ mode: 'ANY' })],
  'toolConfig.functionCallingConfig.mode (NONE)': [mode({ mode: 'NONE' })],
  'toolConfig.functionCallingConfig.mode (VALIDATED)': [mode({ mode: 'VALIDATED' })],
  'toolConfig.functionCallingConfig.allowedFunctionNames': [
    mode({ mode: 'ANY', allowedFunctionNames: ['weather'] }),
    mode({ mode: 'ANY' }),
  ],
  'toolConfig.retrievalConfig': [{ toolConfig: { retrievalConfig: { languageCode: 'de' } } }],
  'toolConfig.includeServerSideToolInvocations': [{ toolConfig: { includeServerSideToolInvocations: true } }],
};
