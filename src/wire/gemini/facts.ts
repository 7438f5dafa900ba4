import { geminiErrorSchema, geminiResponseSchema } from './answer/answer-schema.ts';
import { geminiRequestSchema } from './schema.ts';
import { type ClientFacts, NO_HOSTED_TOOLS, TIER_ALONE } from '../format-facts.ts';

export const geminiFacts: ClientFacts = {
  ...TIER_ALONE,
  ...NO_HOSTED_TOOLS,
  toolNamedBy: 'member',
  modalities: new Set(['text', 'image']),
  clientTools: /^computer_use$/,
  conversation: 'messages',
  // Google refuses its search together with functions.
  translatedSearch: { of: 'messages', asked: 'web_search', sent: 'google_search', isAlone: true },
  title: 'Gemini',
  requestSchema: geminiRequestSchema,
  answerSchema: geminiResponseSchema,
  errorSchema: geminiErrorSchema,
  // From the first `/models/` on: from each of them, a long path would take as long as its square.
  path: /^(?!.*\/messages)(?:\/(?:upload\/)?v1(?:alpha|beta)\/|(?:(?!\/models\/).)*\/models\/.+:\w+$)/,
  knownBy: ['contents'],
  fieldNames: {
    messages: 'contents',
    input: 'contents',
    tool_choice: 'toolConfig',
    stop: 'generationConfig.stopSequences',
  },
  optionNames: { service_tier: 'serviceTier' },
  related: undefined,
  hasFallbacks: false,
  hasAnthropicHeaders: false,
  runsOtherModels: false,
  fetchingFields: ['cachedContent', 'cached_content'],
  hasSearchField: false,
  boundsTools: undefined,
};
