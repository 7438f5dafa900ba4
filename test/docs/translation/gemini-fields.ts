import type { JsonObject } from '#base';
import type { Samples } from './samples.ts';
import { WEATHER } from './gemini-tools.ts';

const said = (text: string): JsonObject => ({ text });
const user = (...parts: JsonObject[]): JsonObject => ({ role: 'user', parts });
const ask = user(said('Hello.'));
const g = (o: JsonObject): JsonObject => ({ generationConfig: o });

/** The request every sample is added to. */
export const GEMINI_BASE: JsonObject = {
  model: 'models/client-model',
  systemInstruction: { parts: [said('Be brief.')] },
  contents: [ask],
  tools: [{ functionDeclarations: [WEATHER] }],
};

export const GEMINI_FIELDS: Samples = {
  model: [{ model: 'models/another-model' }],
  systemInstruction: [{ systemInstruction: { parts: [said('Be kind.')] } }],
  'systemInstruction.parts[] (other than text)': [
    { systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] } },
  ],
  cachedContent: [{ cachedContent: 'cachedContents/1' }],
  safetySettings: [{ safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }],
  serviceTier: [{ serviceTier: 'flex' }],
  labels: [{ labels: { team: 'a' } }],
  'generationConfig.maxOutputTokens': [g({ maxOutputTokens: 500 })],
  'generationConfig.candidateCount': [g({ candidateCount: 2 })],
  'generationConfig.stopSequences': [g({ stopSequences: ['END'] })],
  'generationConfig.temperature': [g({ temperature: 0.5 })],
  'generationConfig.topP': [g({ topP: 0.5 })],
  'generationConfig.topK': [g({ topK: 20 })],
  'generationConfig.frequencyPenalty': [g({ frequencyPenalty: 0.5 })],
  'generationConfig.presencePenalty': [g({ presencePenalty: 0.5 })],
  'generationConfig.seed': [g({ seed: 7 })],
  'generationConfig.responseMimeType': [g({ responseMimeType: 'application/json' })],
  'generationConfig.responseMimeType (text/x.enum)': [g({ responseMimeType: 'text/x.enum' })],
  'generationConfig.responseSchema': [
    g({ responseMimeType: 'application/json', responseSchema: WEATHER.parameters }),
    g({ responseMimeType: 'application/json' }),
  ],
  'generationConfig.responseJsonSchema': [
    g({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
    }),
    g({ responseMimeType: 'application/json' }),
  ],
  'generationConfig.thinkingConfig.thinkingLevel': [g({ thinkingConfig: { thinkingLevel: 'HIGH' } })],
  'generationConfig.thinkingConfig.thinkingBudget': [g({ thinkingConfig: { thinkingBudget: 2000 } })],
  'generationConfig.thinkingConfig.thinkingBudget (0)': [g({ thinkingConfig: { thinkingBudget: 0 } })],
  'generationConfig.thinkingConfig.thinkingBudget (-1)': [g({ thinkingConfig: { thinkingBudget: -1 } })],
  'generationConfig.thinkingConfig.includeThoughts': [
    g({ thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } }),
    g({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
  ],
  'generationConfig.responseModalities (beyond text)': [g({ responseModalities: ['TEXT', 'IMAGE'] })],
  'generationConfig.speechConfig': [g({ speechConfig: { languageCode: 'de-DE' } })],
  'generationConfig.responseLogprobs': [g({ responseLogprobs: true })],
  'generationConfig.logprobs': [{ generationConfig: { logprobs: 3 } }],
  'generationConfig.mediaResolution': [g({ mediaResolution: 'MEDIA_RESOLUTION_LOW' })],
  'generationConfig.imageConfig': [g({ imageConfig: { aspectRatio: '1:1' } })],
  'generationConfig.responseFormat': [g({ responseFormat: [{ type: 'TEXT' }] })],
  'generationConfig._responseJsonSchema': [
    g({
      responseMimeType: 'application/json',
      _responseJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
    }),
    g({ responseMimeType: 'application/json' }),
  ],
  'generationConfig.audioTimestamp': [g({ audioTimestamp: true })],
  'generationConfig.audioTranscriptionConfig': [g({ audioTranscriptionConfig: { languageCodes: ['de'] } })],
  'generationConfig.translationConfig': [g({ translationConfig: { targetLanguageCode: 'de' } })],
  'generationConfig.enableAffectiveDialog': [g({ enableAffectiveDialog: true })],
  'generationConfig.enableEnhancedCivicAnswers': [g({ enableEnhancedCivicAnswers: true })],
  'generationConfig.routingConfig': [g({ routingConfig: { manualMode: { modelName: 'gemini-x' } } })],
  'generationConfig.modelSelectionConfig': [
    g({ modelSelectionConfig: { featureSelectionPreference: 'BALANCED' } }),
  ],
  'generationConfig.modelConfig': [g({ modelConfig: { featureSelectionPreference: 'BALANCED' } })],
  modelArmorConfig: [{ modelArmorConfig: { promptTemplateName: 'projects/p/templates/t' } }],
  'any other field': [{ unheardOf: 1 }],
  'generationConfig (any other)': [g({ temperature: 1, unheardOf: 1 }), g({ temperature: 1 })],
  'toolConfig (any other)': [
    { toolConfig: { functionCallingConfig: { mode: 'AUTO' }, unheardOf: 1 } },
    { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
  ],
};
