import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { SOUND, bytes, events, json } from '../../../../../test/support/upstream-media.ts';

const PATH = '/v1/audio/speech';

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

const ASK = { model: 'chat-model', input: 'Hello, sloth!', voice: 'alloy' };

test('200: streams the audio, with usage marked as an estimate', async () => {
  const response = await gateway.post(PATH, ASK);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'audio/mpeg');
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), SOUND);
  const row = await gateway.getRow(response);
  assert.equal(row.estimated, true);
  assert.equal(BigInt(row.customer), 4n * 3_000_000n + 19n * 15_000_000n);
});

test('200: audio reaches the caller before it is complete, all but its last byte before it is settled', async () => {
  gateway.upstream.script({ reply: bytes('audio/mpeg', [SOUND.subarray(0, 9), SOUND.subarray(9, 10)], 200) });
  const response = await gateway.post(PATH, ASK);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  assert.equal(first.value?.length, 8);
  assert.equal(gateway.upstream.truths[0]?.completed, false);
  let rest = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value.length;
  assert.equal(rest, 2);
  assert.equal((await gateway.getRow(response)).finishReason, 'completed');
});

test('200: characters are charged exactly', async () => {
  const response = await gateway.post(PATH, { ...ASK, model: 'units-model', input: 'hé 🦥' });
  await response.arrayBuffer();
  const row = await gateway.getRow(response);
  assert.deepEqual(row.units, [{ unit: 'character', count: 4 }]);
  assert.deepEqual([row.customer, row.estimated], ['60000000', false]);
});

test('200: server-sent events if requested; audio otherwise, even if the model is called with events for its usage', async () => {
  const reported = await gateway.post(PATH, { ...ASK, stream_format: 'sse' });
  assert.match(await reported.text(), /speech\.audio\.delta[^]*event: speech\.audio\.done\n/);
  assert.equal(BigInt((await gateway.getRow(reported)).customer), 7n * 3_000_000n + 50n * 15_000_000n);
  const audio = await gateway.post(PATH, { ...ASK, model: 'events-model' });
  assert.equal(audio.headers.get('content-type'), 'audio/mpeg');
  assert.deepEqual(Buffer.from(await audio.arrayBuffer()), SOUND);
  const row = await gateway.getRow(audio);
  assert.deepEqual([row.usage.inputUncached, row.usage.outputAudio, row.estimated], [7, 50, false]);
  assert.equal(BigInt(row.customer), 7n * 600_000n + 50n * 12_000_000n);
});

test('200: a model that is asked by events and answers with audio all the same is charged by an estimate', async () => {
  gateway.upstream.script({ reply: bytes('audio/mpeg', [SOUND]) });
  const response = await gateway.post(PATH, { ...ASK, model: 'events-model' });
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), SOUND);
  assert.equal((await gateway.getRow(response)).estimated, true);
});

test('200: a usage of 0 is replaced with an estimate', async () => {
  const end = { type: 'speech.audio.done', usage: { input_tokens: 0, output_tokens: 0 } };
  const delta = { type: 'speech.audio.delta', audio: SOUND.toString('base64') };
  gateway.upstream.script({ reply: events([delta, end]) });
  const response = await gateway.post(PATH, { ...ASK, model: 'events-model' });
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), SOUND);
  const row = await gateway.getRow(response);
  assert.deepEqual([row.estimated, BigInt(row.customer) > 0n], [true, true]);
});

test('200: Gemini’s samples as a WAV file or as they are', async () => {
  const samples = Buffer.from([1, 0, 2, 0, 3, 0]);
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=16000', data: samples.toString('base64') };
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: 30,
    totalTokenCount: 35,
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
  };
  const body = { candidates: [{ content: { parts: [{ inlineData }] } }], usageMetadata };
  gateway.upstream.script({ reply: json(() => body) });
  const wav = await gateway.post(PATH, {
    ...ASK,
    model: 'gemini-model',
    voice: 'Kore',
    instructions: 'Say slowly',
  });
  assert.equal(wav.headers.get('content-type'), 'audio/wav');
  const file = Buffer.from(await wav.arrayBuffer());
  assert.deepEqual([file.toString('latin1', 0, 4), file.readUInt32LE(24), file.length], ['RIFF', 16_000, 50]);
  assert.deepEqual(file.subarray(44), samples);
  const [truth] = gateway.upstream.truths;
  assert.deepEqual(truth?.body['contents'], [
    { role: 'user', parts: [{ text: 'Say slowly: Hello, sloth!' }] },
  ]);
  const config = truth.body['generationConfig'] as JsonObject;
  assert.deepEqual(config['speechConfig'], { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } });
  assert.equal((await gateway.getRow(wav)).usage.outputAudio, 30);
  const pcm = await gateway.post(PATH, { ...ASK, model: 'gemini-model', response_format: 'pcm' });
  assert.deepEqual(Buffer.from(await pcm.arrayBuffer()), samples);
});

test('400: what is no request, and what a model cannot', async () => {
  const cases: [object, Promised['code'], RegExp][] = [
    [{ ...ASK, input: '' }, 'invalid_request', /input/],
    [{ model: 'chat-model', input: 'x' }, 'invalid_request', /voice: is required/],
    [{ ...ASK, response_format: 'midi' }, 'invalid_request', /response_format/],
    [{ ...ASK, speed: 9 }, 'invalid_request', /speed/],
    [{ ...ASK, model: 'gemini-model', response_format: 'mp3' }, 'unsupported_feature', /wav or pcm/],
  ];
  for (const [body, code, message] of cases) {
    const response = await gateway.post(PATH, body);
    assert.match(await assertRefused(gateway, response, { format: 'chat', status: 400, code }), message);
  }
});

test('502: an empty answer; audio that breaks off is cut, so that it is not taken for complete', async () => {
  gateway.upstream.script({ reply: bytes('audio/mpeg', []) });
  const empty = await gateway.post(PATH, ASK);
  await assertRefused(gateway, empty, { format: 'chat', status: 502, code: 'upstream_garbled' });
  gateway.upstream.clear();
  gateway.upstream.script({
    reply: async (exchange) => {
      await exchange.sendHead(200, { 'content-type': 'audio/mpeg' });
      await exchange.sendBody(SOUND.subarray(0, 1_000));
      await exchange.pause(50);
      exchange.cut();
    },
  });
  const response = await gateway.post(PATH, ASK);
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
  const row = await gateway.waitForRow(response);
  assert.deepEqual([row.finishReason, row.estimated], ['upstream_error', true]);
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model) => ({ ...ASK, model }),
});
