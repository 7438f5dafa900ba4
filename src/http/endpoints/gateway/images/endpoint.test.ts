import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { IMAGE, events, json } from '../../../../../test/support/upstream-media.ts';

const PATH = '/v1/images/generations';

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

const USD = 1_000_000_000_000n;

const ASK = { model: 'chat-model', prompt: 'a sloth' };
const EXPECTED_COST = 10n * 3_000_000n + 20n * 3_000_000n + 200n * 15_000_000n;

test('200: images, for the tokens of texts and images that the provider counted', async () => {
  const response = await gateway.post(PATH, { ...ASK, n: 2, quality: 'low' });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { b64_json: string }[] };
  assert.deepEqual(
    data.map(({ b64_json: image }) => image),
    [IMAGE, IMAGE],
  );
  const [truth] = gateway.upstream.truths;
  assert.deepEqual(truth?.body, { ...ASK, n: 2, quality: 'low' });
  const row = await gateway.getRow(response);
  const { inputUncached, inputImage, outputImage } = row.usage;
  assert.deepEqual([inputUncached, inputImage, outputImage], [10, 20, 200]);
  assert.equal(BigInt(row.customer), EXPECTED_COST);
  assert.equal(row.estimated, false);
});

test('200: a stream of partial images whose last event is sent after its row is written', async () => {
  const response = await gateway.post(PATH, { ...ASK, stream: true, n: 2 });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const types = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  assert.deepEqual(types, [
    'image_generation.partial_image',
    'image_generation.completed',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
  const row = await gateway.getRow(response);
  assert.equal(row.stream, true);
  assert.equal(BigInt(row.customer), 2n * EXPECTED_COST);
});

test('200: images that are charged by their size', async () => {
  for (const [size, n, cost] of [
    ['1024x1024', 3, (USD * 12n) / 100n],
    ['1536x1024', 1, (USD * 6n) / 100n],
    [undefined, 1, (USD * 6n) / 100n],
  ] as const) {
    const response = await gateway.post(PATH, { ...ASK, model: 'units-model', n, size });
    assert.equal(response.status, 200);
    const row = await gateway.getRow(response);
    assert.equal(BigInt(row.customer), cost);
    assert.deepEqual(row.units, [{ unit: 'image', kind: size ?? '1536x1024', count: n }]);
  }
});

test('200: Gemini draws by generateContent, Imagen by predict', async () => {
  const part = { inlineData: { mimeType: 'image/png', data: IMAGE } };
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: 1_290,
    totalTokenCount: 1_295,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
  };
  gateway.upstream.script({
    reply: json(() => ({ candidates: [{ content: { parts: [part] } }], usageMetadata })),
  });
  const drawn = await gateway.post(PATH, { ...ASK, model: 'gemini-model', size: '1536x1024' });
  assert.equal(((await drawn.json()) as { data: JsonObject[] }).data[0]?.['b64_json'], IMAGE);
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v1/models/gemini-model:generateContent');
  assert.deepEqual(truth.body['generationConfig'], {
    responseModalities: ['IMAGE'],
    imageConfig: { aspectRatio: '3:2' },
  });
  const row = await gateway.getRow(drawn);
  assert.equal(row.usage.outputImage, 1_290);
  assert.equal(BigInt(row.customer), 5n * 3_000_000n + 1_290n * 15_000_000n);

  gateway.upstream.clear();
  const predictions = [{ bytesBase64Encoded: IMAGE }, { bytesBase64Encoded: IMAGE }];
  gateway.upstream.script({ reply: json(() => ({ predictions })) });
  const predicted = await gateway.post(PATH, { ...ASK, model: 'imagen-model', n: 2, size: '2048x2048' });
  assert.equal(((await predicted.json()) as { data: JsonObject[] }).data.length, 2);
  assert.deepEqual(gateway.upstream.truths[0]?.body, {
    instances: [{ prompt: 'a sloth' }],
    parameters: { sampleCount: 2, aspectRatio: '1:1', sampleImageSize: '2K' },
  });
  assert.equal(BigInt((await gateway.getRow(predicted)).customer), (USD * 8n) / 100n);
});

test('400: what is no request, what a model cannot, and what the provider refuses', async () => {
  const cases: [object, Promised['code'], RegExp][] = [
    [{ model: 'chat-model' }, 'invalid_request', /prompt: is required/],
    [{ ...ASK, n: 0 }, 'invalid_request', /^n: /],
    [{ ...ASK, size: 'huge' }, 'invalid_request', /size/],
    [{ ...ASK, model: 'units-model', size: '64x64' }, 'unsupported_feature', /1024x1024, 1536x1024/],
    [{ ...ASK, model: 'gemini-model', n: 2 }, 'unsupported_feature', /^n: /],
    [{ ...ASK, model: 'gemini-model', size: '1000x10' }, 'unsupported_feature', /16:9/],
    [{ ...ASK, model: 'imagen-model', stream: true }, 'unsupported_feature', /stream/],
    [{ ...ASK, model: 'messages-model' }, 'wrong_operation', /\/v1\/chat\/completions/],
  ];
  for (const [body, code, message] of cases) {
    const response = await gateway.post(PATH, body);
    assert.match(await assertRefused(gateway, response, { format: 'chat', status: 400, code }), message);
  }
  assert.equal(gateway.upstream.truths.length, 0);
  gateway.upstream.script({ reply: json(() => ({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })) });
  const response = await gateway.post(PATH, { ...ASK, model: 'gemini-model' });
  const expected: Promised = { format: 'chat', status: 400, code: 'content_refused' };
  assert.match(await assertRefused(gateway, response, expected), /PROHIBITED_CONTENT/);
});

test('502: a stream that ends before its image is an error and never an end', async () => {
  gateway.upstream.script({ reply: events([{ type: 'image_generation.partial_image', b64_json: IMAGE }]) });
  const begun = await gateway.post(PATH, { ...ASK, stream: true });
  assert.match(await begun.text(), /^event: error\ndata: .*upstream_broken/m);
  assert.equal((await gateway.getRow(begun)).finishReason, 'upstream_error');
  gateway.upstream.clear();
  gateway.upstream.script({ reply: events([]) });
  const response = await gateway.post(PATH, { ...ASK, stream: true });
  await assertRefused(gateway, response, { format: 'chat', status: 502, code: 'upstream_broken' });
});

test('502: an answer without images is an error, not a charge', async () => {
  gateway.upstream.script({ reply: json(() => ({ created: 1, data: [] })) });
  const response = await gateway.post(PATH, ASK);
  await assertRefused(gateway, response, { format: 'chat', status: 502, code: 'upstream_garbled' });
  assert.equal((await gateway.getRow(response)).customer, '0');
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ ...ASK, model, stream }),
});
