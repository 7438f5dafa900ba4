import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTextEndpoint } from './model-endpoint.ts';

const described = { summary: 'Chat.', answer: 'The answer.' };

test('clients may omit or repeat the prefix of a path that has one', () => {
  const { aliases } = defineTextEndpoint('messages', { path: '/v1/messages', ...described });
  assert.deepEqual(aliases, ['/messages', '/v1/v1/messages']);
});

test('a path without the prefix is the only address of its endpoint', () => {
  assert.deepEqual(defineTextEndpoint('messages', { path: '/api/chat', ...described }).aliases, []);
});
