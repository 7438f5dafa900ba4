import type { ClientFormatId, FormatId } from '#canonical';
import { chatFacts } from './chat/facts.ts';
import { converseFacts } from './converse/facts.ts';
import type { ClientFacts, FormatFacts } from './format-facts.ts';
import { geminiFacts } from './gemini/facts.ts';
import { messagesFacts } from './messages/facts.ts';
import { responsesFacts } from './responses/facts.ts';

export const CLIENT_FACTS: Readonly<Record<ClientFormatId, ClientFacts>> = {
  chat: chatFacts,
  messages: messagesFacts,
  responses: responsesFacts,
  gemini: geminiFacts,
};

export const FORMAT_FACTS: Readonly<Record<FormatId, FormatFacts>> = {
  ...CLIENT_FACTS,
  converse: converseFacts,
};
