import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalogue } from '#catalogue';
import { toWav } from '../speech/wav.ts';
import { transcriptions } from './index.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)));
const [groq] = catalogue.models.get('whisper-large-v3-turbo')?.mappings ?? [];
const [openai] = catalogue.models.get('whisper-1')?.mappings ?? [];
assert.ok(groq && openai);

const transcribe = (seconds: number, fields = {}) => {
  const file = {
    filename: 'a.wav',
    contentType: 'audio/wav',
    bytes: toWav(Buffer.alloc(16_000 * seconds), 8_000),
  };
  const body = { model: 'whisper', ...fields };
  return transcriptions.decode({ body, isForm: true, files: new Map([['file', [file]]]) });
};
const toJson = (body: object) => ({
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
});

test('a recording that is shorter than what a provider charges at least is held and billed as so long', () => {
  const short = transcribe(2);
  assert.equal(short.bound(groq).units[0]?.count, 10_000);
  assert.equal(short.estimate(groq, 0).units[0]?.count, 10_000);
  assert.ok((short.bound(openai).units[0]?.count ?? 0) < 4_000);
  for (const [mapping, seconds, count] of [
    [groq, 2, 10_000],
    [groq, 12.5, 12_500],
    [openai, 2, 2_000],
  ] as const) {
    const { answer } = short.openExchange(mapping, 'openai');
    assert.ok(answer.type === 'whole');
    const result = answer.decode(toJson({ text: 'hello', duration: seconds }));
    assert.deepEqual('reported' in result && result.reported.units, [{ unit: 'input-audio-ms', count }]);
  }
});

test('so is one whose transcript is streamed', () => {
  const { answer } = transcribe(2, { stream: 'true' }).openExchange(groq, 'openai');
  assert.ok(answer.type === 'events');
  const done = { type: 'transcript.text.done', text: 'hello', usage: { type: 'duration', seconds: 2 } };
  const { reported } = answer.read({ event: 'transcript.text.done', data: JSON.stringify(done) });
  assert.equal(reported?.units[0]?.count, 10_000);
});
