import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { openClient } from '../../../../test/support/gemini-exchange.ts';
import { decodeGeminiCount } from './decode-count-tokens.ts';

const decode = (fields: JsonObject) => openClient(fields).request;

test('generationConfig: limits, sampling, output, thinking', () => {
  const { choices, sampling, output, reasoning } = decode({
    generationConfig: {
      candidateCount: 2,
      temperature: 0.5,
      topP: 0.9,
      topK: 40.0,
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: -0.1,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    },
  });
  assert.equal(choices, 2);
  assert.deepEqual(sampling, {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    seed: 7,
    frequencyPenalty: 0.1,
    presencePenalty: -0.1,
  });
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  assert.deepEqual(output, { type: 'json-schema', name: 'output', schema });
  assert.deepEqual(reasoning, { effort: 'low', display: 'summarized' });
  const thinking = (thinkingConfig: JsonObject) => decode({ generationConfig: { thinkingConfig } }).reasoning;
  assert.deepEqual(thinking({ thinkingBudget: 0 }), { mode: 'off' });
  assert.deepEqual(thinking({ thinkingBudget: -1 }), { mode: 'adaptive' });
  assert.deepEqual(thinking({ thinkingBudget: 500, includeThoughts: false }), {
    mode: 'budget',
    budgetTokens: 500,
    display: 'omitted',
  });
  assert.equal(thinking({}), undefined);
});

test('generationConfig: the output is text, JSON, or by a schema, and one answer is the default', () => {
  const outputOf = (generationConfig: JsonObject) => decode({ generationConfig }).output;
  const schema = { type: 'object' };
  assert.equal(outputOf({}), undefined);
  assert.equal(outputOf({ responseMimeType: 'text/plain', responseJsonSchema: schema }), undefined);
  assert.deepEqual(outputOf({ responseMimeType: 'application/json' }), { type: 'json' });
  assert.deepEqual(outputOf({ responseJsonSchema: schema }), { type: 'json-schema', name: 'output', schema });
  assert.equal(decode({ generationConfig: {} }).choices, 1);
});

test('a count is of contents, or of a whole request', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
  const turns = [{ role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] }];
  for (const body of [{ contents }, { generateContentRequest: { contents } }]) {
    const counted = decodeGeminiCount(body, 'm');
    assert.deepEqual([counted.turns, counted.stream, counted.model], [turns, false, 'm']);
  }
  assert.throws(() => decodeGeminiCount({ generateContentRequest: 5 }, 'm'), /generateContentRequest/);
});
