import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeUsage as decodeChat } from './chat/answer/usage.ts';
import { decodeUsage as decodeConverse } from './converse/answer/usage.ts';
import { decodeUsage as decodeGemini } from './gemini/answer/usage.ts';
import { decodeUsage as decodeMessages } from './messages/answer/usage.ts';
import { decodeUsage as decodeResponses } from './responses/answer/usage.ts';

test('a usage with one implausible count is ignored, in every format', () => {
  const cases: [(raw: JsonObject) => unknown, string, string][] = [
    [(raw) => decodeChat(raw, false), 'prompt_tokens', 'completion_tokens'],
    [decodeConverse, 'inputTokens', 'outputTokens'],
    [decodeGemini, 'promptTokenCount', 'candidatesTokenCount'],
    [decodeMessages, 'input_tokens', 'output_tokens'],
    [(raw) => decodeResponses(raw, 0), 'input_tokens', 'output_tokens'],
  ];
  for (const [decode, input, output] of cases) {
    assert.notEqual(decode({ [input]: 5, [output]: 5 }), undefined, input);
    for (const count of [-5, 1e308, 0.5, 'many'])
      assert.equal(decode({ [input]: 5, [output]: count }), undefined, `${output}: ${count}`);
  }
});
