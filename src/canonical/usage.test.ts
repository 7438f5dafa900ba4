import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  USAGE_PARTS,
  createUsage,
  inputTokensOf,
  laterUsage,
  outputTokensOf,
  sumUsages,
  toCount,
  withoutCache,
} from './usage.ts';

test('a count is a whole number from 0 to a billion, whatever was sent', () => {
  const sent = [
    0,
    0.5,
    1,
    2.9,
    999_999_999.5,
    1_000_000_000,
    1e308,
    Infinity,
    -1,
    Number.NaN,
    '7',
    null,
    undefined,
  ];
  const counts = [0, 0, 1, 2, 999_999_999, 1_000_000_000, 1_000_000_000, 1_000_000_000, 0, 0, 0, 0, 0];
  assert.deepEqual(sent.map(toCount), counts);
});

test('each part is in exactly one sum, and searches are no tokens', () => {
  const sums = USAGE_PARTS.map((part) => {
    const usage = createUsage({ [part]: 5 });
    return [part, inputTokensOf(usage), outputTokensOf(usage)];
  });
  const expected = USAGE_PARTS.map((part) => [
    part,
    part.startsWith('input') ? 5 : 0,
    part.startsWith('output') ? 5 : 0,
  ]);
  assert.deepEqual(sums, expected);
});

test('usages are added part by part', () => {
  const one = createUsage({ inputUncached: 1, outputText: 2 });
  assert.deepEqual(
    sumUsages([one, createUsage({ outputText: 3, webSearches: 4 })]),
    createUsage({ inputUncached: 1, outputText: 5, webSearches: 4 }),
  );
});

test('without a cache the same prompt is all uncached, and nothing else changes', () => {
  const usage = createUsage({
    inputUncached: 1,
    inputCacheRead: 20,
    inputCacheWrite5m: 300,
    inputCacheWrite1h: 4_000,
    outputText: 7,
  });
  assert.deepEqual(withoutCache(usage), createUsage({ inputUncached: 4_321, outputText: 7 }));
});

test('the later of two counts applies, unless its tokens are fewer', () => {
  const early = createUsage({ inputUncached: 10, outputText: 5 });
  const same = createUsage({ inputUncached: 8, inputCacheRead: 2, outputText: 5 });
  const more = createUsage({ inputUncached: 10, outputText: 6 });
  const fewer = createUsage({ inputUncached: 10, outputText: 4 });
  assert.equal(laterUsage(early, more), more);
  assert.equal(laterUsage(early, same), same, 'it may split them better');
  assert.equal(laterUsage(early, fewer), early);
  assert.equal(laterUsage(undefined, fewer), fewer);
  assert.equal(laterUsage(early, undefined), early);
  assert.equal(laterUsage(undefined, undefined), undefined);
});
