import { chatResponseSchema } from './answer/answer-schema.ts';
import { chatRequestSchema } from './schema.ts';
import { openaiErrorSchema } from '../errors/openai-error.ts';
import { type ClientFacts, NO_HOSTED_TOOLS, SEARCH_FIELD, TEXT_ONLY, TIER_ALONE } from '../format-facts.ts';

export const chatFacts: ClientFacts = {
  ...TIER_ALONE,
  ...NO_HOSTED_TOOLS,
  toolNamedBy: 'type',
  modalities: TEXT_ONLY,
  isTierSent: (_request, dialect) => !dialect.refusedFields.includes('service_tier'),
  conversation: 'messages',
  title: '',
  requestSchema: chatRequestSchema,
  answerSchema: chatResponseSchema,
  errorSchema: openaiErrorSchema,
  path: undefined,
  knownBy: [],
  fieldNames: { input: 'messages' },
  optionNames: {},
  related: 'responses',
  hasFallbacks: true,
  hasAnthropicHeaders: false,
  runsOtherModels: false,
  fetchingFields: [SEARCH_FIELD],
  hasSearchField: true,
  boundsTools: undefined,
};
