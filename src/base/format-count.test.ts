import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, formatFirst } from './format-count.ts';

test('a number has its noun in the singular only if it is one', () => {
  const counts = [0, 1, 2, 21].map((count) => formatCount(count, 'request'));
  assert.deepEqual(counts, ['0 requests', '1 request', '2 requests', '21 requests']);
});

test('a list that is too long ends in the number of the others', () => {
  assert.deepEqual(
    [0, 2, 3].map((count) => formatFirst(['a', 'b', 'c'].slice(0, count), 2)),
    ['', 'a, b', 'a, b and 1 more'],
  );
});
