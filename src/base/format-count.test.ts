import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount } from './format-count.ts';

test('a number has its noun in the singular only if it is one', () => {
  const counts = [0, 1, 2, 21].map((count) => formatCount(count, 'request'));
  assert.deepEqual(counts, ['0 requests', '1 request', '2 requests', '21 requests']);
});
