import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitState } from '#accounts';
import { listLimitHeaders } from './limit-headers.ts';

const NOW = Date.UTC(2026, 0, 1);

function state(more: Partial<LimitState> = {}, limit: Partial<LimitState['limit']> = {}): LimitState {
  const own = { owner: 'key', kind: 'requests', counter: 'c', most: 10, ...limit } as const;
  return { limit: own, used: 3, waitMs: 0, resetMs: 0, ...more };
}

test('times until a limit is reset are in Go’s format, rounded up to a millisecond', () => {
  const formats: [ms: number, text: string][] = [
    [0, '0s'],
    [0.2, '1ms'],
    [999, '999ms'],
    [999.1, '1s'],
    [1_000, '1s'],
    [5_250, '5.25s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [60_500, '1m0.5s'],
  ];
  for (const [resetMs, text] of formats) {
    const headers = new Map(listLimitHeaders([state({ resetMs })], 'chat', NOW));
    assert.equal(headers.get('x-ratelimit-reset-requests'), text, String(resetMs));
  }
});

test('Messages clients also get Anthropic’s headers, with a moment by which the limit is reset', () => {
  assert.deepEqual(listLimitHeaders([state({ resetMs: 1_001 })], 'messages', NOW), [
    ['x-ratelimit-limit-requests', '10'],
    ['x-ratelimit-remaining-requests', '7'],
    ['x-ratelimit-reset-requests', '1.001s'],
    ['anthropic-ratelimit-requests-limit', '10'],
    ['anthropic-ratelimit-requests-remaining', '7'],
    ['anthropic-ratelimit-requests-reset', '2026-01-01T00:00:02Z'],
  ]);
});

test('clients of other formats get the usual headers alone', () => {
  for (const format of ['chat', 'responses', 'gemini'] as const)
    assert.equal(listLimitHeaders([state()], format, NOW).length, 3, format);
});

test('the limit with less left is shown; what is over it counts as nothing left', () => {
  const limits = [state({ used: 8 }), state({ used: 12 }, { owner: 'organization', most: 11 })];
  const headers = new Map(listLimitHeaders([...limits, state()], 'chat', NOW));
  assert.deepEqual(
    [headers.get('x-ratelimit-limit-requests'), headers.get('x-ratelimit-remaining-requests')],
    ['11', '0'],
  );
  const equal = [state({}, { most: 10 }), state({ used: 4 }, { most: 11 })];
  assert.equal(new Map(listLimitHeaders(equal, 'chat', NOW)).get('x-ratelimit-limit-requests'), '10');
  assert.deepEqual(listLimitHeaders([state({}, { kind: 'concurrency' })], 'chat', NOW), []);
});
