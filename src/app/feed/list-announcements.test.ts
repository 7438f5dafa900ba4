import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedState } from '#catalogue';
import { listAnnouncements } from './list-announcements.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1_000;

test('what does not count yet is listed by its moment: pending terms, next prices and removals', () => {
  const price = { input: '1', output: '2' };
  const state = {
    providers: [{ id: 'openai', pending: { was: {}, from: NOW + DAY_MS } }],
    models: [
      {
        id: 'm',
        mappings: [
          { provider: 'openai', nextPrice: { from: '2026-12-02', price }, removedAt: NOW + 2 * DAY_MS },
          { provider: 'groq', nextPrice: { from: '2026-11-30', price }, removedAt: NOW - DAY_MS },
        ],
      },
    ],
  } as unknown as FeedState;
  assert.deepEqual(listAnnouncements(state, NOW), [
    { from: NOW + DAY_MS, priced: ['openai', 'openai/m'], removed: [] },
    { from: NOW + 2 * DAY_MS, priced: [], removed: ['openai/m'] },
  ]);
});
