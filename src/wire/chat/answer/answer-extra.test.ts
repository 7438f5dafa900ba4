import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { mergeExtra } from './answer-extra.ts';

const merge = (...pieces: JsonObject[]): JsonObject => {
  const whole: JsonObject = {};
  for (const piece of pieces) mergeExtra(whole, piece, new Set(['named']));
  return whole;
};

test('members that arrive in pieces are joined, of the others the last counts, and null says nothing', () => {
  assert.deepEqual(merge({ named: 1, a: 1, b: 2 }, { a: 3, b: null }), { a: 3, b: 2 });
  assert.deepEqual(merge({ images: [1] }, { images: [2] }), { images: [1, 2] });
  assert.deepEqual(
    merge(
      { audio: { id: 'x', data: 'a', expires_at: 1 } },
      { audio: { id: null, data: 'b', expires_at: 2 } },
    ),
    { audio: { id: 'x', data: 'ab', expires_at: 2 } },
  );
  assert.deepEqual(merge({ logprobs: { content: [1] } }, { logprobs: { content: [2], refusal: null } }), {
    logprobs: { content: [1, 2] },
  });
});

test('a member that should be a list or an object and is neither replaces what was there', () => {
  assert.deepEqual(merge({ audio: { id: 'x' } }, { audio: 'text' }), { audio: 'text' });
  assert.deepEqual(merge({ logprobs: 5 }, { logprobs: { content: [1] } }), { logprobs: { content: [1] } });
  assert.deepEqual(merge({ images: 'none' }, { images: [1] }), { images: [1] });
});
