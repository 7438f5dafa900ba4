import { CLIENT_FORMATS, type ClientFormatId } from '#canonical';
import { type Ask, askAs } from './ask-as.ts';
import type { MockUpstream } from './mock-upstream.ts';

/** One provider for each client format, with a cheap model `<format>-small` and an expensive one `<format>-large`. */
export function createFormatProviders({ baseUrl }: MockUpstream): string {
  const model = (id: string, output: string) =>
    `      - { id: ${id}, externalId: ${id}-2026, contextLength: 100000, maxOutput: 1000, vision: true, operations: [generations, images, speech], price: { input: "1", output: "${output}" } }`;
  return CLIENT_FORMATS.flatMap((format) => [
    `  - id: mock-${format}`,
    `    format: ${format}`,
    `    baseUrl: ${baseUrl}`,
    '    apiKey: mock-key',
    '    hostedTools: [{ tool: code_interpreter, per: container, usd: "0.03" }]',
    '    models:',
    model(`${format}-small`, '5'),
    model(`${format}-large`, '50'),
  ]).reduce((text, line) => `${text}${line}\n`, 'providers:\n');
}

/** A small request of each format for its cheap model. */
export const LEAST = Object.fromEntries(
  CLIENT_FORMATS.map((format) => {
    const { path, body } = askAs(format, { model: `${format}-small`, most: 50 });
    return [format, { path, body: format === 'responses' ? { ...body, store: false } : body }];
  }),
) as Record<ClientFormatId, Ask>;
