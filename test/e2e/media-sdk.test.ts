import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { IMAGE, SOUND, bytes } from '../support/upstream-media.ts';
import { hang } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { shareGateway } from '../support/share-gateway.ts';

let client: OpenAI;

const gateway = shareGateway();
before(() => {
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.account.apiKey, maxRetries: 0 });
});

const model = 'chat-model';
const image = () => toFile(Buffer.from('an image'), 'in.png', { type: 'image/png' });
const recording = () => toFile(Buffer.from('a recording'), 'in.mp3', { type: 'audio/mpeg' });

test('embeddings, which the SDK requests as base64 and returns as numbers', async () => {
  const { data, usage } = await client.embeddings.create({ model, input: ['one', 'two'] });
  assert.deepEqual(
    data.map(({ embedding }) => embedding),
    [
      [0, 0.5, -0.25],
      [1, 0.5, -0.25],
    ],
  );
  assert.equal(usage.prompt_tokens, 6);
});

test('moderations', async () => {
  const { results } = await client.moderations.create({ model, input: 'kill' });
  assert.equal(results[0]?.flagged, true);
});

test('images: generated, edited and streamed', async () => {
  const images = await client.images.generate({ model, prompt: 'a sloth', n: 2 });
  assert.deepEqual([images.data?.length, images.data?.[0]?.b64_json], [2, IMAGE]);
  const edited = await client.images.edit({
    model,
    prompt: 'a hat',
    image: [await image(), await image()],
  });
  assert.equal(edited.data?.[0]?.b64_json, IMAGE);
  assert.equal(edited.usage?.input_tokens_details.image_tokens, 20);
  const types: string[] = [];
  for await (const event of await client.images.generate({ model, prompt: 'a sloth', stream: true }))
    types.push(event.type);
  assert.deepEqual(types, ['image_generation.partial_image', 'image_generation.completed']);
});

test('speech', async () => {
  const speech = await client.audio.speech.create({ model, input: 'hello', voice: 'alloy' });
  assert.deepEqual(Buffer.from(await speech.arrayBuffer()), SOUND);
});

test('transcriptions: whole, as text, and streamed', async () => {
  const whole = await client.audio.transcriptions.create({ model, file: await recording() });
  assert.equal(whole.text, 'hello there');
  const text = await client.audio.transcriptions.create({
    model,
    file: await recording(),
    response_format: 'text',
  });
  assert.match(text, /hello there/);
  const types: string[] = [];
  for await (const event of await client.audio.transcriptions.create({
    model,
    file: await recording(),
    stream: true,
  }))
    types.push(event.type);
  assert.deepEqual(types, ['transcript.text.delta', 'transcript.text.done']);
});

test('an error is the SDK’s own, with the path that is wrong', async () => {
  await assert.rejects(
    client.images.generate({ model, prompt: 'x', n: 99 }),
    (error: unknown) => error instanceof OpenAI.BadRequestError && error.param === 'n',
  );
});

test('a client that disconnects stops the provider, before the first byte and mid-stream, and the log row records it', async () => {
  gateway.upstream.script({ reply: hang() });
  const early = new AbortController();
  const waiting = client.images.generate({ model, prompt: 'x' }, { signal: early.signal });
  await gateway.upstream.waitForRequests(1);
  early.abort();
  await assert.rejects(waiting);
  const [first] = gateway.upstream.truths;
  await until('the provider’s connection is closed', () => first?.aborted === true);
  gateway.upstream.clear();

  gateway.upstream.script({
    reply: bytes(
      'audio/mpeg',
      Array.from({ length: 100 }, () => SOUND),
      20,
    ),
  });
  const { response, data } = await client.audio.speech
    .create({ model, input: 'x', voice: 'alloy' })
    .withResponse();
  const reader = data.body!.getReader();
  await reader.read();
  await reader.cancel();
  const [second] = gateway.upstream.truths;
  await until('the provider’s connection is closed', () => second?.aborted === true);
  const row = await gateway.waitForRow(response);
  assert.deepEqual([row.finishReason, row.estimated], ['canceled', true]);
  assert.ok(BigInt(row.customer) > 0n);
});

test('backpressure of a client that stops reading reaches the provider', async () => {
  const piece = Buffer.alloc(64 * 1024);
  gateway.upstream.script({
    reply: bytes(
      'audio/mpeg',
      Array.from({ length: 400 }, () => piece),
    ),
  });
  const response = await gateway.post('/v1/audio/speech', { model, input: 'x', voice: 'alloy' });
  const [truth] = gateway.upstream.truths;
  let sent = -1;
  const stands = (): boolean => {
    const isStill = sent === truth?.bytesSent;
    sent = truth?.bytesSent ?? 0;
    return isStill;
  };
  await until('nothing more is taken', stands, 200);
  assert.ok(sent < 20 * 1024 * 1024, `${sent} bytes were taken from the provider`);
  const all = await response.arrayBuffer();
  assert.equal(all.byteLength, 400 * piece.length);
});
