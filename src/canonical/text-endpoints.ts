import { CLIENT_FORMATS, type ClientFormatId } from './format.ts';

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
