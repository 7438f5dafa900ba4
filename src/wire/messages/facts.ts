import { messagesErrorSchema, messagesResponseSchema } from './answer/answer-schema.ts';
import { messagesRequestSchema } from './schema.ts';
import { listOfBlock } from './created-objects.ts';
import { type ClientFacts, NO_HOSTED_TOOLS, TEXT_ONLY } from '../format-facts.ts';
import { findOwnOptions, isTierSent } from './price-options.ts';
import { tallyServerTool } from '../tools/tool-uses.ts';

export const messagesFacts: ClientFacts = {
  ...NO_HOSTED_TOOLS,
  toolNamedBy: 'type',
  modalities: TEXT_ONLY,
  isTierSent,
  findOwnOptions,
  clientTools: /^(?:advisor|bash|text_editor|computer|browser|memory|tool_search)_/,
  conversation: 'messages',
  tallyUse: tallyServerTool,
  listCreatedByBlock: listOfBlock,
  title: 'Messages',
  requestSchema: messagesRequestSchema,
  answerSchema: messagesResponseSchema,
  errorSchema: messagesErrorSchema,
  path: /\/messages/,
  knownBy: ['system', 'anthropic_version'],
  fieldNames: { input: 'messages', stop: 'stop_sequences' },
  optionNames: {},
  related: undefined,
  hasFallbacks: false,
  hasAnthropicHeaders: true,
  runsOtherModels: true,
  fetchingFields: ['mcp_servers'],
  hasSearchField: false,
  boundsTools: 'max_uses',
};
