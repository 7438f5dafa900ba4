import type { JsonObject } from '#base';

/** The wire formats a client may use. The one list of them: tables and schemas follow from it. */
export const CLIENT_FORMATS = ['chat', 'messages', 'responses', 'gemini'] as const;

export type ClientFormatId = (typeof CLIENT_FORMATS)[number];

const GEMINI = '/v1beta/models/{model}';

/** The endpoints that generate text, as log rows name them. */
export const TEXT_ENDPOINTS: Readonly<Record<ClientFormatId, readonly string[]>> = {
  chat: ['/v1/chat/completions'],
  messages: ['/v1/messages'],
  responses: ['/v1/responses'],
  gemini: [`${GEMINI}:generateContent`, `${GEMINI}:streamGenerateContent`],
};

/** The format of an endpoint that generates text. */
export function findFormat(endpoint: string): ClientFormatId | undefined {
  return CLIENT_FORMATS.find((format) => TEXT_ENDPOINTS[format].includes(endpoint));
}

/** The wire formats a provider may use. */
export const FORMATS = [...CLIENT_FORMATS, 'converse'] as const;

export type FormatId = (typeof FORMATS)[number];

/** Whether a format is one of OpenAI's, whose callers set `strict` themselves and whose file ids are the same. */
export function isOpenaiFormat(format: FormatId): boolean {
  return format === 'chat' || format === 'responses';
}

/** Fields of one format that the neutral model does not cover; only written back to that format. */
export type Extra = Partial<Record<FormatId, JsonObject>>;
