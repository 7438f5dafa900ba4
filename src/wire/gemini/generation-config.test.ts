import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CanonicalRequest, Dialect } from '#canonical';
import { openGemini } from '../../../test/support/gemini-exchange.ts';

const send = (fields: Partial<CanonicalRequest>, dialect: Partial<Dialect> = {}): unknown =>
  openGemini(fields, dialect).body['generationConfig'];

test('a request without options has no configuration', () => {
  assert.equal(send({}), undefined);
  assert.equal(send({ stopSequences: [''] }), undefined);
  assert.equal(send({ reasoning: { mode: 'adaptive' } }, { reasoningField: 'none' }), undefined);
});

test('sampling is sent as far as the model supports it', () => {
  const sampling = { temperature: 2, topP: 0.5, topK: 4, frequencyPenalty: 1, presencePenalty: -1, seed: 7 };
  const full = { sampling: 'full', topK: true, maxTemperature: 2 } as const;
  assert.deepEqual(send({ sampling }, full), sampling);
  const { topK: _, ...others } = sampling;
  assert.deepEqual(send({ sampling }, { ...full, topK: false }), others);
  assert.deepEqual(send({ sampling }, { ...full, sampling: 'none' }), { seed: 7 });
  const { frequencyPenalty, presencePenalty, ...plain } = sampling;
  assert.ok(frequencyPenalty && presencePenalty);
  assert.deepEqual(send({ sampling }, { ...full, sampling: 'no-penalties', maxTemperature: 1 }), {
    ...plain,
    temperature: 1,
  });
});

test('a seed of more than 32 bits, which Google refuses, is sent as its lower bits', () => {
  const seedOf = (seed: number): unknown => (send({ sampling: { seed } }) as { seed: number }).seed;
  assert.equal(seedOf(2 ** 31 - 1), 2_147_483_647);
  assert.equal(seedOf(-(2 ** 31)), -2_147_483_648);
  assert.equal(seedOf(2 ** 40 + 5), 5);
});

test('one stop sequence or several are sent, as many as the model takes', () => {
  assert.deepEqual(send({ stopSequences: ['a'] }), { stopSequences: ['a'] });
  const many = { stopSequences: ['a', '', 'b', 'c'] };
  assert.deepEqual(send(many, { maxStopSequences: 2 }), { stopSequences: ['a', 'b'] });
});

test('images that a Chat caller asks for are asked of Gemini', () => {
  const ask = (modalities: unknown[]) => send({ extra: { chat: { modalities } as never } });
  assert.deepEqual(ask(['text', 'image', 5]), { responseModalities: ['TEXT', 'IMAGE'] });
  assert.equal(ask(['text']), undefined);
});

test('the shape of an answer is a field where the model has one, and words where it has none', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const [json, shaped] = [{ type: 'json' }, { type: 'json-schema', name: 'x', schema }] as const;
  const ask = (output: CanonicalRequest['output'], structuredOutput: Dialect['structuredOutput']) => {
    const { body } = openGemini(output ? { output } : {}, { structuredOutput });
    const words = JSON.stringify(body['systemInstruction'] ?? '');
    return [body['generationConfig'], words.includes('JSON')];
  };
  const mime = { responseMimeType: 'application/json' };
  assert.deepEqual(ask(json, 'json-schema'), [mime, false]);
  assert.deepEqual(ask(shaped, 'json-schema'), [{ ...mime, responseJsonSchema: schema }, false]);
  assert.deepEqual(ask(json, 'json'), [mime, false]);
  assert.deepEqual(ask(shaped, 'json'), [mime, true]);
  assert.deepEqual(ask(json, 'none'), [undefined, true]);
  assert.deepEqual(ask(undefined, 'none'), [undefined, false]);
});
