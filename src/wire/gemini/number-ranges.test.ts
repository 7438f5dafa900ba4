import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { geminiInbound } from './inbound.ts';

const RANGES: Record<string, [least: number, most: number]> = {
  maxOutputTokens: [1, 1_000_000_000],
  temperature: [0, 2],
  topP: [0, 1],
  topK: [0, 1_000_000],
  frequencyPenalty: [-2, 2],
  presencePenalty: [-2, 2],
};

function isAccepted(generationConfig: JsonObject): boolean {
  const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
  try {
    geminiInbound.decodeRequest({ model: 'm', contents, generationConfig }, {});
    return true;
  } catch {
    return false;
  }
}

test('numbers of generationConfig are accepted at their limits and refused beyond', () => {
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const accepted = [least - 1, least, most, most + 1].map((value) => isAccepted({ [name]: value }));
    assert.deepEqual(accepted, [false, true, true, false], name);
  }
  const budgets = [-2, -1, 1_000_000_000, 1_000_000_001].map((thinkingBudget) =>
    isAccepted({ thinkingConfig: { thinkingBudget } }),
  );
  assert.deepEqual(budgets, [false, true, true, false]);
});
