import { MEDIA_OPERATIONS } from '#catalogue';
import { type MockUpstream, findClosedPort } from './mock-upstream.ts';

/** How long a gateway waits for providers: longer than any test takes on a slow machine. */
const TIMEOUTS = { firstEventMs: 60_000, idleMs: 60_000, totalMs: 300_000 };
/** The same in tests of silent providers. */
export const IMPATIENT = { firstEventMs: 1_500, idleMs: 1_500, totalMs: 10_000 };

/** A model that supports text and every medium, in a configuration. */
export const EVERY_MEDIUM = `operations: [${['generations', ...MEDIA_OPERATIONS].join(', ')}]`;

const MEDIA = `, ${EVERY_MEDIUM}, price: { input: "3", output: "15" }`;

/** One provider per format, and one that refuses connections. */
export async function createConfig(upstream: MockUpstream): Promise<string> {
  const model = (id: string, price = ', price: { input: "3", output: "15" }'): string =>
    `      - { id: ${id}, contextLength: 100000, maxOutput: 1000${price} }`;
  const provider = (id: string, format: string, baseUrl: string): string[] => [
    `  - id: ${id}`,
    `    format: ${format}`,
    `    baseUrl: ${baseUrl}`,
    '    apiKey: mock-key',
    '    cancellation: all',
    '    models:',
  ];
  const closed = await findClosedPort();
  return [
    `timeouts: ${JSON.stringify(TIMEOUTS)}`,
    'providers:',
    ...provider('mock-chat', 'chat', upstream.baseUrl),
    model('chat-model', MEDIA),
    model('unpriced-model', ''),
    ...provider('mock-messages', 'messages', upstream.baseUrl),
    model('messages-model'),
    '    dialect: { countTokens: true }',
    ...provider('mock-gemini', 'gemini', upstream.baseUrl),
    model('gemini-model', MEDIA),
    model('drawing-model', ', price: { input: "3", output: "15", outputImage: "60" }'),
    '    dialect: { countTokens: true }',
    ...provider('mock-cohere', 'chat', upstream.baseUrl.replace('/v1', '/v2')),
    model(
      'cohere-rerank',
      ', protocol: cohere, operations: [rerank], price: { input: "0", output: "0", perSearch: "0.002" }',
    ),
    model(
      'cohere-embed',
      ', protocol: cohere, operations: [embeddings], price: { input: "0.12", output: "0" }',
    ),
    ...provider('mock-spare', 'chat', upstream.baseUrl),
    model('shared-model', MEDIA.replace('"3"', '"4"')),
    ...provider('mock-units', 'chat', upstream.baseUrl),
    model(
      'units-model',
      ', operations: [images, speech, transcriptions], price: { input: "0", output: "0", perImage: { 1024x1024: "0.04", 1536x1024: "0.06" }, perCharacter: "0.000015", inputAudioHour: "0.36" }',
    ),
    model(
      'events-model',
      ', protocol: openai-events, operations: [speech], price: { input: "0.6", output: "12" }',
    ),
    ...provider('mock-imagen', 'gemini', upstream.baseUrl),
    model(
      'imagen-model',
      ', protocol: imagen, operations: [images], price: { input: "0", output: "0", perImage: { default: "0.04" } }',
    ),
    ...provider('closed', 'chat', `http://127.0.0.1:${closed}/v1`),
    model('closed-model', MEDIA),
    model('shared-model', MEDIA),
    '',
  ].join('\n');
}
