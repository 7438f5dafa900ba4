import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';

const PATH = '/v1/audio/transcriptions';

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

const BOUNDARY = 'a-boundary-of-ours';

/** Two seconds of silence. */
function createWav(seconds = 2): Buffer {
  const samples = Buffer.alloc(16_000 * seconds);
  const header = Buffer.alloc(44);
  header.write('RIFF____WAVEfmt ', 0, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  return Buffer.concat([header, samples]);
}

function createForm(fields: object, file = createWav()): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new File([new Uint8Array(file)], 'hello.wav', { type: 'audio/wav' }));
  return form;
}

const ask = (fields: object, file?: Buffer): Promise<Response> =>
  gateway.request(PATH, { method: 'POST', body: createForm({ model: 'chat-model', ...fields }, file) });

test('200: the text, for the tokens that the provider counted; the file is sent unchanged', async () => {
  const response = await ask({ language: 'en', temperature: 0.5 });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(((await response.json()) as { text: string }).text, 'hello there');
  const [truth] = gateway.upstream.truths;
  assert.match(truth?.rawBody ?? '', /filename="hello\.wav"\r\nContent-Type: audio\/wav\r\n\r\nRIFF/);
  assert.match(truth?.rawBody ?? '', /name="temperature"\r\n\r\n0\.5\r\n/);
  const row = await gateway.getRow(response);
  assert.deepEqual([row.usage.inputUncached, row.usage.inputAudio, row.usage.outputText], [2, 38, 5]);
  assert.equal(BigInt(row.customer), 40n * 3_000_000n + 5n * 15_000_000n);
});

test('200: a stream of text that ends after its row is written', async () => {
  const response = await ask({ stream: true });
  assert.match(await response.text(), /transcript\.text\.delta[^]*event: transcript\.text\.done\n/);
  const row = await gateway.getRow(response);
  assert.deepEqual([row.stream, row.estimated, row.usage.inputAudio], [true, false, 38]);
});

test('200: by the hour: by the duration the provider reports, otherwise by that of the file', async () => {
  const reported = await ask({ model: 'units-model', response_format: 'verbose_json' });
  await reported.text();
  const row = await gateway.getRow(reported);
  assert.deepEqual(row.units, [{ unit: 'input-audio-ms', count: 2_500 }]);
  assert.deepEqual([row.customer, row.estimated], ['250000000', false]);
  const text = await ask({ model: 'units-model', response_format: 'text' });
  assert.match(text.headers.get('content-type') ?? '', /^text\/plain/);
  assert.equal(await text.text(), 'hello there\n');
  const measured = await gateway.getRow(text);
  assert.equal(measured.estimated, true);
  assert.ok((measured.units?.[0]?.count ?? 0) >= 2_000 && (measured.units?.[0]?.count ?? 0) < 2_010);
});

test('200: usage in a unit that the model has no price for is charged as an estimate', async () => {
  const bySeconds = await ask({ response_format: 'verbose_json' });
  await bySeconds.text();
  const byToken = await gateway.getRow(bySeconds);
  // Two seconds of about ten tokens each, and the answer’s text.
  assert.deepEqual([byToken.usage.inputAudio, byToken.estimated], [21, true]);
  assert.ok(BigInt(byToken.customer) > 21n * 3_000_000n);
  const byTokens = await ask({ model: 'units-model' });
  await byTokens.text();
  const byHour = await gateway.getRow(byTokens);
  assert.equal(byHour.units?.[0]?.unit, 'input-audio-ms');
  assert.deepEqual([byHour.estimated, BigInt(byHour.customer) > 0n], [true, true]);
});

test('400: a form without a file, with two or an empty one', async () => {
  const none = new FormData();
  none.append('model', 'chat-model');
  const text = new FormData();
  text.append('model', 'chat-model');
  text.append('file', 'not a file');
  const two = createForm({ model: 'chat-model' });
  two.append('file', new File(['x'], 'second.wav'));
  const empty = createForm({ model: 'chat-model' }, Buffer.alloc(0));
  for (const [form, message] of [
    [none, /file: is required/],
    [text, /file: is required/],
    [two, /file: must be one/],
    [empty, /file: is empty/],
    [
      createForm({ model: 'chat-model', response_format: 'pdf' }),
      /response_format: must be one of json, text, srt/,
    ],
    [createForm({}), /model: is required/],
  ] as const) {
    const response = await gateway.request(PATH, { method: 'POST', body: form });
    const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
    assert.match(await assertRefused(gateway, response, expected), message);
  }
  assert.equal(gateway.upstream.truths.length, 0);
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ model, stream: stream ?? false }),
  form: {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    encode: (body) => {
      const fields = Object.entries(body).map(
        ([name, value]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
      );
      const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
      return Buffer.concat([
        Buffer.from(fields.join('') + file),
        createWav(),
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ]);
    },
  },
});
