import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { CLIENT_FACTS } from '#wire';
import { EXTRA_FIELDS } from '../../../src/wire/chat/request/decode-request.ts';
import { ECHOED_FIELDS, RESPONSES_ONLY_FIELDS } from '../../../src/wire/responses/fields.ts';
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
import { listSchemaPaths } from './paths.ts';
import type { Samples } from './samples.ts';

/** A client's format: its plainest request, and one sample for every field. */
interface Client {
  base: JsonObject;
  samples: Samples;
  /** What the schema of requests names, and the fields that the decoder knows besides. */
  known: readonly string[];
}

export const CLIENTS: Readonly<Record<ClientFormatId, Client>> = {
  messages: {
    base: MESSAGES_BASE,
    samples: { ...MESSAGES_FIELDS, ...MESSAGES_MESSAGES, ...MESSAGES_TOOLS },
    known: listSchemaPaths(CLIENT_FACTS.messages.requestSchema),
  },
  chat: {
    base: CHAT_BASE,
    samples: { ...CHAT_FIELDS, ...CHAT_MESSAGES, ...CHAT_TOOLS },
    known: [...listSchemaPaths(CLIENT_FACTS.chat.requestSchema), ...EXTRA_FIELDS],
  },
  responses: {
    base: RESPONSES_BASE,
    samples: { ...RESPONSES_FIELDS, ...RESPONSES_INPUT, ...RESPONSES_TOOLS },
    known: [
      ...listSchemaPaths(CLIENT_FACTS.responses.requestSchema),
      ...RESPONSES_ONLY_FIELDS,
      ...Object.keys(ECHOED_FIELDS),
    ],
  },
  gemini: {
    base: GEMINI_BASE,
    samples: { ...GEMINI_FIELDS, ...GEMINI_CONTENTS, ...GEMINI_TOOLS },
    known: listSchemaPaths(CLIENT_FACTS.gemini.requestSchema),
  },
};
