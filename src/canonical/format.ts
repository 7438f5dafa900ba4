import type { JsonObject } from '#base';

/** The wire formats a client may use. The one list of them: tables and schemas follow from it. */
export const CLIENT_FORMATS = ['chat', 'messages', 'responses', 'gemini'] as const;

export type ClientFormatId = (typeof CLIENT_FORMATS)[number];

/** The wire formats a provider may use. */
export const FORMATS = [...CLIENT_FORMATS, 'converse'] as const;

export type FormatId = (typeof FORMATS)[number];

/** Whether a format is one of OpenAI's, whose callers set `strict` themselves and whose file ids are the same. */
export function isOpenaiFormat(format: FormatId): boolean {
  return format === 'chat' || format === 'responses';
}

/** The member that names a provider's own tool: its `type`, or the only member of the object (`{ googleSearch: {} }`). */
export const TOOL_NAMED_BY: Readonly<Record<FormatId, 'type' | 'member'>> = {
  chat: 'type',
  messages: 'type',
  responses: 'type',
  gemini: 'member',
  converse: 'type',
};

/** Fields of one format that the neutral model does not cover; only written back to that format. */
export type Extra = Partial<Record<FormatId, JsonObject>>;
