import assert from 'node:assert/strict';
import { test } from 'node:test';
import type OpenAI from 'openai';
import type { JsonObject } from '#base';
import { shareGateway } from '../support/share-gateway.ts';

const gateway = shareGateway();

/** Every parameter of the SDK; the compiler names those that a newer SDK adds. */
type Every<Parameters> = Required<Parameters>;
const model = 'chat-model';

const EMBEDDINGS: Every<OpenAI.EmbeddingCreateParams> = {
  model,
  input: ['one'],
  dimensions: 3,
  encoding_format: 'float',
  user: 'me',
};
const MODERATIONS: Every<OpenAI.ModerationCreateParams> = { model, input: 'one' };
const RERANK = {
  model,
  query: 'one',
  documents: ['one', { text: 'two', title: 'Two' }],
  top_n: 1,
  return_documents: true,
  max_tokens_per_doc: 100,
};
const SPEECH: Every<OpenAI.Audio.SpeechCreateParams> = {
  model,
  input: 'hello',
  voice: 'alloy',
  instructions: 'Whisper.',
  response_format: 'mp3',
  speed: 1,
  stream_format: 'audio',
};

/** Their cost is not known: one orders a further model, the others further work. */
type Unpriced = 'complexity' | 'frame_count' | 'frame_duration_ms' | 'svg';

/** Of former models, and read by some providers. */
const FORMER = { response_format: 'b64_json', user: 'me' };
type Former = keyof typeof FORMER;
const SHARED = {
  model,
  prompt: 'a sloth',
  background: 'opaque',
  n: 1,
  output_compression: 80,
  output_format: 'webp',
  partial_images: 0,
  quality: 'low',
  safety_identifier: 'you',
  size: 'auto',
  stream: false,
} as const;
const IMAGES: Every<Omit<OpenAI.Images.ImageGenerateParamsNonStreaming, Unpriced | Former | 'style'>> = {
  ...SHARED,
  moderation: 'low',
};
type Files = 'image' | 'markup' | 'mask';
const EDITS: Every<Omit<OpenAI.Images.ImageEditParamsNonStreaming, Unpriced | Former | Files>> = {
  ...SHARED,
  input_fidelity: 'high',
};
const REFERENCES = { images: [{ image_url: 'https://a.example/1.png' }], mask: { image_url: 'data:,' } };

for (const [path, known, unknown] of [
  ['/v1/embeddings', EMBEDDINGS, {}],
  ['/v1/embeddings', { ...EMBEDDINGS, input_type: 'query', truncate: 'END' }, {}],
  ['/v1/moderations', MODERATIONS, {}],
  ['/v1/rerank', RERANK, {}],
  ['/v1/audio/speech', SPEECH, {}],
  [
    '/v1/images/generations',
    { ...IMAGES, ...FORMER, style: 'vivid' },
    { complexity: 'high', frame_count: 16, svg: { model: 'expensive' } },
  ],
  ['/v1/images/edits', { ...EDITS, ...FORMER, ...REFERENCES }, { complexity: 'high' }],
] satisfies [string, object, JsonObject][])
  test(`a provider receives the known members of ${path}, and no others`, async () => {
    const response = await gateway.post(path, { ...known, ...unknown, 'premium[turbo]': 1, constructor: 1 });
    assert.equal(response.status, 200, await response.clone().text());
    await response.arrayBuffer();
    assert.deepEqual(gateway.upstream.truths[0]?.body, known);
  });

test('an input image has no members but its place', async () => {
  const image = { image_url: 'https://a.example/1.png' };
  const response = await gateway.post('/v1/images/edits', {
    model,
    prompt: 'a hat',
    images: [{ ...image, detail: 'original' }],
  });
  assert.equal(response.status, 200, await response.clone().text());
  assert.deepEqual(gateway.upstream.truths[0]?.body['images'], [image]);
});

const TRANSCRIPTIONS: Every<
  Omit<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'file' | 'chunking_strategy'>
> = {
  model,
  include: ['logprobs'],
  keywords: ['sloth'],
  known_speaker_names: ['one', 'two'],
  known_speaker_references: ['data:,1', 'data:,2'],
  language: 'en',
  languages: ['en', 'de'],
  prompt: 'Names: Ada.',
  response_format: 'json',
  stream: false,
  temperature: 0.5,
  timestamp_granularities: ['word', 'segment'],
};

test('a provider receives the known fields of a form, and no others', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries(TRANSCRIPTIONS))
    for (const item of [value].flat()) form.append(Array.isArray(value) ? `${name}[]` : name, String(item));
  form.append('chunking_strategy[type]', 'server_vad');
  for (const name of ['url', 'premium[turbo]', 'constructor', 'length']) form.append(name, '1');
  form.append('file', new File(['a recording'], 'in.mp3'));
  form.append('second', new File(['another recording'], 'in.mp3'));
  const response = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form });
  assert.equal(response.status, 200, await response.clone().text());
  const sent = gateway.upstream.truths[0]?.rawBody ?? '';
  const names = [...sent.matchAll(/form-data; name="(\w+)/g)].map(([, name]) => name);
  assert.deepEqual(
    [...new Set(names)].sort(),
    [...Object.keys(TRANSCRIPTIONS), 'chunking_strategy', 'file'].sort(),
  );
  assert.match(
    sent,
    /name="known_speaker_names\[\]"\r\n\r\none\r\n[^]*name="known_speaker_names\[\]"\r\n\r\ntwo\r\n/,
  );
  assert.match(sent, /name="chunking_strategy\[type\]"\r\n\r\nserver_vad\r\n/);
});

test('an image in a format that a further model draws, or in frames, is refused', async () => {
  for (const format of ['svg', 'gif']) {
    const body = { model, prompt: 'a sloth', output_format: format };
    const response = await gateway.post('/v1/images/generations', body);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    assert.deepEqual([response.status, error.param], [400, 'output_format']);
    assert.match(error.message, /must be one of png, jpeg, webp/);
  }
  assert.equal(gateway.upstream.truths.length, 0);
});
