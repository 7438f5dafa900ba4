import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from './retry-after.ts';

const clock = { now: () => Date.parse('2026-11-21T10:00:00Z'), monotonicMs: () => 0 };

const CASES: [name: string, headers: Record<string, string | string[]>, expected: number | undefined][] = [
  ['seconds', { 'retry-after': '30' }, 30],
  ['fractions round up', { 'retry-after': '1.2' }, 2],
  ['an HTTP date', { 'retry-after': 'Sat, 21 Nov 2026 10:01:30 GMT' }, 90],
  ['an HTTP date in the past', { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 1],
  [
    "an HTTP date against the peer's own clock",
    { 'retry-after': 'Sat, 21 Nov 2026 12:00:20 GMT', date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
    20,
  ],
  ['zero', { 'retry-after': '0' }, 1],
  ['-1', { 'retry-after': '-1' }, 1],
  ['1e12', { 'retry-after': '1e12' }, 3600],
  ['NaN', { 'retry-after': 'NaN' }, undefined],
  ['Infinity', { 'retry-after': 'Infinity' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['empty', { 'retry-after': '' }, undefined],
  ['absent', {}, undefined],
  ['milliseconds win', { 'retry-after-ms': '2500', 'retry-after': '60' }, 3],
  ['a repeated header', { 'retry-after': ['7', '9'] }, 7],
];

for (const [name, headers, expected] of CASES) {
  test(`[U11] retry-after: ${name}`, () => assert.equal(parseRetryAfter(headers, clock), expected));
}
