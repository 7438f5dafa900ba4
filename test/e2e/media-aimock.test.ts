import type { JsonObject } from '#base';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LLMock } from '@copilotkit/aimock';
import OpenAI, { toFile } from 'openai';
import { type InProcessGateway, keepPrices, openInProcess } from '../support/in-process.ts';

/** An upstream written by others, in each of the protocols that it speaks. */
let mock: LLMock;
let gateway: InProcessGateway;
let client: OpenAI;

const IMAGE = Buffer.from('an image').toString('base64');
const SOUND = Buffer.from('a sound, believe it');

before(async () => {
  mock = new LLMock({ port: 0 });
  mock.onEmbedding('embed me', { embedding: [0.5, 0.25, -1] });
  mock.onModerate(/harm/, {
    flagged: true,
    categories: { violence: true },
    category_scores: { violence: 0.9 },
  });
  mock.onRerank(/which/, [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ]);
  mock.onImage(/sloth/, { image: { b64Json: IMAGE } });
  mock.onSpeech(/hello/, { audio: SOUND.toString('base64'), format: 'mp3' });
  mock.onTranscription({ transcription: { text: 'it was said', duration: 1.5 } });
  await mock.start();
  gateway = await openInProcess({ config: createConfig(mock.url) });
  await keepPrices(gateway.database, gateway.catalogue);
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock.stop();
});

function createConfig(url: string): string {
  const model = (id: string, rest: string): string =>
    `      - { id: ${id}, ${rest}, price: { input: "3", output: "15", perImage: { default: "0.04" }, perSearch: "0.002", perCharacter: "0.000015", inputAudioHour: "0.36" } }`;
  const openai = '[embeddings, moderations, images, speech, transcriptions]';
  return [
    'providers:',
    '  - id: aimock-openai',
    '    format: chat',
    `    baseUrl: ${url}/v1`,
    '    apiKey: mock-key',
    '    models:',
    model('openai-model', `operations: ${openai}`),
    '  - id: cohere',
    `    baseUrl: ${url}/compatibility/v1`,
    '    apiKey: mock-key',
    '    models:',
    model('rerank-v3.5', 'operations: [rerank]'),
    model('embed-v4.0', 'operations: [embeddings]'),
    '  - id: aimock-google',
    '    format: gemini',
    `    baseUrl: ${url}/v1beta`,
    '    apiKey: mock-key',
    '    models:',
    model('imagen-model', 'operations: [images], protocol: imagen'),
    '',
  ].join('\n');
}

const model = 'openai-model';

test('embeddings, in OpenAI’s and in Cohere’s protocol', async () => {
  for (const name of [model, 'embed-v4.0']) {
    const { data } = await client.embeddings.create({
      model: name,
      input: 'embed me',
      encoding_format: 'float',
    });
    assert.deepEqual(data[0]?.embedding, [0.5, 0.25, -1], name);
  }
});

test('moderations', async () => {
  const { results } = await client.moderations.create({ model, input: 'harm' });
  assert.equal(results[0]?.flagged, true);
});

test('reranking by Cohere', async () => {
  const body = { model: 'rerank-v3.5', query: 'which?', documents: ['this', 'that'] };
  const { results } = await client.post<{ results: { index: number }[] }>('/rerank', { body });
  assert.deepEqual(
    results.map(({ index }) => index),
    [1, 0],
  );
});

test('images, in OpenAI’s and in Imagen’s protocol', async () => {
  for (const name of [model, 'imagen-model']) {
    const { data } = await client.images.generate({ model: name, prompt: 'a sloth' });
    assert.equal(data?.[0]?.b64_json, IMAGE, name);
  }
});

test('speech', async () => {
  const speech = await client.audio.speech.create({ model, input: 'hello', voice: 'alloy' });
  assert.deepEqual(Buffer.from(await speech.arrayBuffer()), SOUND);
});

test('transcriptions, whole and streamed; the bill is explained by the unit', async () => {
  const file = await toFile(Buffer.from('a recording'), 'in.mp3');
  const { data, response } = await client.audio.transcriptions
    .create({ model, file, response_format: 'verbose_json' })
    .withResponse();
  assert.equal(data.text, 'it was said');
  const { requestId } = await gateway.waitForRow(response);
  const { lines } = await gateway.run('ledger', 'explain', requestId);
  const [{ part, units, price, per, amount } = {}] = lines as JsonObject[];
  assert.deepEqual(
    [part, units, price, per, amount],
    ['millisecond_of_audio', 1_500, '0.36', 3_600_000, '0.00015'],
  );
  let text = '';
  for await (const event of await client.audio.transcriptions.create({ model, file, stream: true }))
    if (event.type === 'transcript.text.done') text = event.text;
  assert.equal(text, 'it was said');
});
