import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { HealthBook } from './health-book.ts';
import { chooseNext } from './next-attempt.ts';

const [one, two] = ['one', 'two'].map((providerId) => ({ providerId, externalId: 'm' }) as Mapping) as [
  Mapping,
  Mapping,
];

interface Situation {
  counts?: [Mapping, number][];
  repeatable?: Mapping[];
  book?: HealthBook;
}

function choose({ counts = [], repeatable = [], book = new HealthBook() }: Situation): string {
  const tried = { counts: new Map(counts), repeatable: new Set(repeatable) };
  const facts = {
    nowMs: 0,
    healthOf: (mapping: Mapping) => book.of(mapping),
    jitter: (ms: number) => ms + 1,
  };
  const next = chooseNext([one, two], tried, facts);
  return next ? `${next.mapping.providerId} after ${next.waitMs}` : 'none';
}

test('what was not tried comes first, in the order of the route', () => {
  assert.equal(choose({}), 'one after 0');
  assert.equal(choose({ counts: [[one, 1]], repeatable: [one] }), 'two after 0');
});

test('then what was tried least, after a wait that doubles, with some jitter', () => {
  const repeatable = [one, two];
  const after = (first: number, second: number): string =>
    choose({
      counts: [
        [one, first],
        [two, second],
      ],
      repeatable,
    });
  assert.equal(after(1, 1), 'one after 61');
  assert.equal(after(2, 1), 'two after 61');
  assert.equal(after(2, 2), 'one after 121');
  assert.equal(after(9, 9), 'one after 1001');
});

test('what must not be repeated is not', () => {
  const counts: [Mapping, number][] = [
    [one, 1],
    [two, 1],
  ];
  assert.equal(choose({ counts, repeatable: [two] }), 'two after 61');
  assert.equal(choose({ counts }), 'none');
});

test('a mapping that is not to be called is passed over, and waited for if its pause ends soon', () => {
  const book = new HealthBook();
  book.of(one).fail(0, { pauseMs: 10, retryAfterMs: 2_000 });
  assert.equal(choose({ book }), 'two after 0');
  book.of(two).fail(0, { pauseMs: 10, retryAfterMs: 1_000 });
  assert.equal(choose({ book }), 'two after 1000');
  assert.equal(choose({ book, counts: [[two, 1]] }), 'one after 2000');
  book.of(one).fail(0, { pauseMs: 10, retryAfterMs: 2_001 });
  assert.equal(choose({ book, counts: [[two, 1]] }), 'none');
});
