import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { decodeUsage, encodeUsage, findUsageLeftovers } from './usage.ts';

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

test('every token is counted in one part: cached and written ones within the input, reasoning within the output', () => {
  const reported = {
    input_tokens: 100,
    input_tokens_details: {
      cached_tokens: 60,
      cache_write_tokens: 30,
      cache_write_tokens_details: { ttl_12h_tokens: 10 },
    },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5, image_tokens: 3 },
    total_tokens: 120,
  };
  const usage = createUsage({
    inputUncached: 10,
    inputCacheRead: 60,
    inputCacheWrite5m: 20,
    inputCacheWrite1h: 10,
    outputText: 12,
    outputReasoning: 5,
    outputImage: 3,
    webSearches: 2,
  });
  assert.deepEqual(decodeUsage(reported, 2), usage);
  const encoded = encodeUsage(usage, { costUsd: 3 }, { tier: 'x' });
  const writes = { cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 10 } };
  const details = { cached_tokens: 60, cache_write_tokens: 30, ...writes };
  assert.deepEqual(encoded, { ...reported, input_tokens_details: details, tier: 'x', cost: 3 });
});

test('an input part that is larger than what is left of the whole is not included in it', () => {
  const uncachedOf = (input: number, cached: number, written: number) =>
    decodeUsage(
      { input_tokens: input, input_tokens_details: { cached_tokens: cached, cache_write_tokens: written } },
      0,
    )?.inputUncached;
  assert.equal(uncachedOf(90, 90, 0), 0);
  assert.equal(uncachedOf(90, 40, 50), 0);
  assert.equal(uncachedOf(90, 40, 51), 50);
  assert.equal(uncachedOf(90, 91, 0), 90);
  assert.equal(uncachedOf(90, 91, 10), 90);
  const details = { cache_write_tokens: 30, cache_write_tokens_details: { ttl_12h_tokens: 50 } };
  const usage = decodeUsage({ input_tokens: 40, input_tokens_details: details }, 0);
  assert.deepEqual(usage, createUsage({ inputUncached: 10, inputCacheWrite1h: 30 }));
});

test('reasoning is outside the output if it does not fit in or the total says so', () => {
  const partsOf = (output: number, reasoning: number, total?: number) => {
    const usage = decodeUsage(
      {
        input_tokens: 100,
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        ...(total !== undefined && { total_tokens: total }),
      },
      0,
    );
    return [usage?.outputText, usage?.outputReasoning];
  };
  assert.deepEqual(partsOf(20, 5), [15, 5]);
  assert.deepEqual(partsOf(20, 20), [0, 20]);
  assert.deepEqual(partsOf(20, 21), [20, 21]);
  assert.deepEqual(partsOf(20, 5, 124), [15, 5]);
  assert.deepEqual(partsOf(20, 5, 125), [20, 5]);
  assert.deepEqual(partsOf(20, 1, 121), [20, 1]);
  assert.deepEqual(partsOf(20, 0, 130), [20, 0]);
});

test('without counts, or with one that cannot be, there is no usage; images never exceed the output', () => {
  assert.equal(decodeUsage({}, 1), undefined);
  assert.equal(decodeUsage(undefined, 1), undefined);
  assert.equal(decodeUsage({ input_tokens: 5, output_tokens: -1 }, 0), undefined);
  assert.deepEqual(decodeUsage({ input_tokens: 5 }, 0), createUsage({ inputUncached: 5 }));
  const details = { reasoning_tokens: 1, image_tokens: 30 };
  assert.deepEqual(
    decodeUsage({ output_tokens: 10, output_tokens_details: details }, 0),
    createUsage({ outputReasoning: 1, outputImage: 9 }),
  );
});

test('members that are no counts are kept, but not what the provider charges', () => {
  assert.deepEqual(findUsageLeftovers({ input_tokens: 1, cost_in_usd_ticks: 3, num_sources_used: 2 }), {
    num_sources_used: 2,
  });
  assert.equal(findUsageLeftovers({ input_tokens: 1, cost: 3 }), undefined);
  assert.equal(findUsageLeftovers(null), undefined);
});

test('images and costs are written only where there are some', () => {
  const written = encodeUsage(createUsage({ outputImage: 1 }));
  assert.deepEqual(written.output_tokens_details, { reasoning_tokens: 0, image_tokens: 1 });
  assert.equal('cost' in written, false);
});
