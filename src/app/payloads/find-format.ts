import type { ClientFormatId } from '#canonical';

const GEMINI = '/v1beta/models/{model}';
const FORMATS: ReadonlyMap<string, ClientFormatId> = new Map([
  ['/v1/messages', 'messages'],
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  [`${GEMINI}:generateContent`, 'gemini'],
  [`${GEMINI}:streamGenerateContent`, 'gemini'],
]);

/** The format of an endpoint that generates text. */
export function findFormat(endpoint: string): ClientFormatId | undefined {
  return FORMATS.get(endpoint);
}
