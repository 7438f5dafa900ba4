import { responseSchema } from './answer/answer-schema.ts';
import { responsesRequestSchema } from './schema.ts';
import { listOfCitation, listOfItem } from './created-objects.ts';
import { openaiErrorSchema } from '../errors/openai-error.ts';
import { type ClientFacts, SEARCH_FIELD, TEXT_ONLY, TIER_ALONE } from '../format-facts.ts';
import { tallyItem } from '../tools/tool-uses.ts';

export const responsesFacts: ClientFacts = {
  ...TIER_ALONE,
  toolNamedBy: 'type',
  modalities: TEXT_ONLY,
  clientTools: /^(?:local_shell|apply_patch|computer|tool_search)/,
  dispensableTools: /^web_search/,
  conversation: 'input',
  translatedSearch: { of: 'chat', asked: SEARCH_FIELD, sent: 'web_search', isAlone: false },
  tallyUse: tallyItem,
  listCreatedByBlock: listOfItem,
  listCreatedByCitation: listOfCitation,
  title: '',
  requestSchema: responsesRequestSchema,
  answerSchema: responseSchema,
  errorSchema: openaiErrorSchema,
  path: /^(?!.*\/messages).*\/responses/,
  knownBy: ['input', 'instructions'],
  fieldNames: { messages: 'input' },
  optionNames: {},
  related: 'chat',
  hasFallbacks: true,
  hasAnthropicHeaders: false,
  runsOtherModels: false,
  fetchingFields: [],
  hasSearchField: false,
  boundsTools: 'max_tool_calls',
};
