import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { encodeUsage } from './usage.ts';

test('what was written to the cache for longer is counted by itself', () => {
  const detailsOf = (usage: Parameters<typeof createUsage>[0]) =>
    encodeUsage(createUsage(usage)).input_tokens_details;
  assert.deepEqual(detailsOf({ inputCacheWrite5m: 2 }), { cached_tokens: 0, cache_write_tokens: 2 });
  assert.deepEqual(detailsOf({ inputCacheWrite5m: 2, inputCacheWrite1h: 1 }), {
    cached_tokens: 0,
    cache_write_tokens: 3,
    cache_write_tokens_details: { ttl_30m_tokens: 2, ttl_12h_tokens: 1 },
  });
});
