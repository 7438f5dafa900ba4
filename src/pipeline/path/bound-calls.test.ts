import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { decodeChat } from '../../../test/support/chat-exchange.ts';
import { boundCalls } from './bound-calls.ts';

function codeOf(calls: readonly string[]): string {
  const tool_calls = calls.map((json, at) => ({
    id: `call_${at}`,
    type: 'function',
    function: { name: 'f', arguments: json },
  }));
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls },
  ];
  try {
    boundCalls(decodeChat({ messages }));
    return 'accepted';
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError);
    return thrown.code;
  }
}

test('the JSON inside the arguments of tool calls is bounded together: its values and its depth', () => {
  const list = (count: number): string => `{"a":[${'1,'.repeat(count)}1]}`;
  assert.equal(codeOf([list(190_000)]), 'accepted');
  assert.equal(codeOf([list(210_000)]), 'invalid_request');
  assert.equal(codeOf(Array<string>(20).fill(list(12_000))), 'invalid_request');
  assert.equal(codeOf([list(80_000), `{"a":${'['.repeat(200)}${']'.repeat(200)}}`]), 'body_too_deep');
});

test('a long text as an argument is as many bytes as a body may have', () => {
  assert.equal(codeOf([JSON.stringify({ text: 'line "1"\n'.repeat(1_000_000) })]), 'accepted');
});
