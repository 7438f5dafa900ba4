import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type GenerationResult, createUsage } from '#canonical';
import { openConverse } from '../../../../test/support/converse-exchange.ts';

function decode(content: JsonObject[], rest: JsonObject = {}): GenerationResult {
  const result = openConverse().decodeResult({
    output: { message: { role: 'assistant', content } },
    stopReason: 'end_turn',
    ...rest,
  });
  assert.ok('blocks' in result);
  return result;
}

test('the usage of an answer is its own, and there is none without', () => {
  const { usage } = decode([{ text: 'Hi' }], { usage: { inputTokens: 1, outputTokens: 2 } });
  assert.deepEqual(usage, createUsage({ inputUncached: 1, outputText: 2 }));
  assert.equal('usage' in decode([{ text: 'Hi' }]), false);
});

test('reasoning without a text is left out', () => {
  assert.deepEqual(
    decode([{ reasoningContent: {} }, { reasoningContent: { reasoningText: 'x' } }]).blocks,
    [],
  );
});
