import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import type { MockUpstream } from './mock-upstream.ts';

/** One provider for each client format, with a cheap model `<format>-small` and an expensive one `<format>-large`. */
export function createFormatProviders({ baseUrl }: MockUpstream): string {
  const formats: ClientFormatId[] = ['messages', 'chat', 'responses', 'gemini'];
  const model = (id: string, output: string) =>
    `      - { id: ${id}, externalId: ${id}-2026, contextLength: 100000, maxOutput: 1000, vision: true, operations: [generations, images, speech], price: { input: "1", output: "${output}" } }`;
  return formats
    .flatMap((format) => [
      `  - id: mock-${format}`,
      `    format: ${format}`,
      `    baseUrl: ${baseUrl}`,
      '    apiKey: mock-key',
      '    hostedTools: [{ tool: code_interpreter, per: container, usd: "0.03" }]',
      '    models:',
      model(`${format}-small`, '5'),
      model(`${format}-large`, '50'),
    ])
    .reduce((text, line) => `${text}${line}\n`, 'providers:\n');
}

const SAID = [{ role: 'user', content: 'Hello.' }];

/** The smallest request of a format for its cheap model: path and body. */
export const LEAST: Record<ClientFormatId, { path: string; body: JsonObject }> = {
  messages: { path: '/v1/messages', body: { model: 'messages-small', max_tokens: 50, messages: SAID } },
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'chat-small', max_completion_tokens: 50, messages: SAID },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'responses-small', max_output_tokens: 50, input: SAID, store: false },
  },
  gemini: {
    path: '/v1beta/models/gemini-small:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
      generationConfig: { maxOutputTokens: 50 },
    },
  },
};
