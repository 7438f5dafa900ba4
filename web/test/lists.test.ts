import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimes } from '../src/models/calculator-search.ts';

test('last month is that of the calendar in UTC, also in January', () => {
  assert.deepEqual(toTimes('calendar', new Date('2026-01-31T23:00:00Z')), {
    since: '2025-12-01T00:00:00.000Z',
    until: '2026-01-01T00:00:00.000Z',
  });
  assert.deepEqual(toTimes('day', new Date('2026-03-02T00:00:00Z')), { since: '2026-03-01T00:00:00.000Z' });
});
