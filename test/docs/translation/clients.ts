import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { CHAT_BASE, CHAT_FIELDS } from './chat-fields.ts';
import { CHAT_MESSAGES } from './chat-messages.ts';
import { CHAT_TOOLS } from './chat-tools.ts';
import { GEMINI_CONTENTS } from './gemini-contents.ts';
import { GEMINI_BASE, GEMINI_FIELDS } from './gemini-fields.ts';
import { GEMINI_TOOLS } from './gemini-tools.ts';
import { MESSAGES_BASE, MESSAGES_FIELDS } from './messages-fields.ts';
import { MESSAGES_MESSAGES } from './messages-messages.ts';
import { MESSAGES_TOOLS } from './messages-tools.ts';
import { RESPONSES_BASE, RESPONSES_FIELDS } from './responses-fields.ts';
import { RESPONSES_INPUT } from './responses-input.ts';
import { RESPONSES_TOOLS } from './responses-tools.ts';
import type { Samples } from './samples.ts';

/** A client's format: its plainest request, and one sample for every field. */
interface Client {
  base: JsonObject;
  samples: Samples;
}

export const CLIENTS: Readonly<Record<ClientFormatId, Client>> = {
  messages: { base: MESSAGES_BASE, samples: { ...MESSAGES_FIELDS, ...MESSAGES_MESSAGES, ...MESSAGES_TOOLS } },
  chat: { base: CHAT_BASE, samples: { ...CHAT_FIELDS, ...CHAT_MESSAGES, ...CHAT_TOOLS } },
  responses: {
    base: RESPONSES_BASE,
    samples: { ...RESPONSES_FIELDS, ...RESPONSES_INPUT, ...RESPONSES_TOOLS },
  },
  gemini: { base: GEMINI_BASE, samples: { ...GEMINI_FIELDS, ...GEMINI_CONTENTS, ...GEMINI_TOOLS } },
};
