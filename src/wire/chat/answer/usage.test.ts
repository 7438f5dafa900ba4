import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import { USAGE_PARTS, createUsage, inputTokensOf, outputTokensOf } from '#canonical';
import { collectPayloads, toChunk, toLastChunk } from '../../../../test/support/chat-exchange.ts';
import { decodeUsage, encodeUsage, findUsageLeftovers } from './usage.ts';

test('[D-1] cached and written tokens are taken out of the prompt', () => {
  const usage = decodeUsage(
    {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30, audio_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 3 },
    },
    false,
  );
  assert.deepEqual(
    usage,
    createUsage({
      inputUncached: 6,
      inputCacheRead: 60,
      inputCacheWrite5m: 30,
      inputAudio: 4,
      outputText: 12,
      outputReasoning: 5,
      outputAudio: 3,
    }),
  );
});

test('tokens that Alibaba writes to its cache are part of the prompt', () => {
  const details = {
    text_tokens: 29_719,
    cache_creation: { ephemeral_5m_input_tokens: 29_000 },
    cache_creation_input_tokens: 29_000,
    cache_type: 'ephemeral',
    cached_tokens: 700,
  };
  const usage = { prompt_tokens: 29_719, completion_tokens: 435, prompt_tokens_details: details };
  assert.deepEqual(
    decodeUsage(usage, false),
    createUsage({ inputUncached: 19, inputCacheRead: 700, inputCacheWrite5m: 29_000, outputText: 435 }),
  );
});

test('[D-7] reasoning outside the completion is added, detected by the total or the dialect', () => {
  const given = {
    prompt_tokens: 12,
    completion_tokens: 2,
    completion_tokens_details: { reasoning_tokens: 340 },
  };
  const byTotal = decodeUsage({ ...given, total_tokens: 354 }, false);
  const byDialect = decodeUsage(given, true);
  for (const usage of [byTotal, byDialect]) assert.ok(usage && outputTokensOf(usage) === 342);
});

test('a total that sums up wins over a dialect that expects reasoning outside', () => {
  const usage = decodeUsage(
    {
      prompt_tokens: 10,
      completion_tokens: 50,
      total_tokens: 60,
      completion_tokens_details: { reasoning_tokens: 40 },
    },
    true,
  );
  assert.ok(usage && outputTokensOf(usage) === 50 && usage.outputReasoning === 40);
});

test('reasoning is counted once: outside the completion where the dialect has it there and the total does not deny it', () => {
  const partsOf = (completion: number, reasoning: number, total?: number) => {
    const details = { reasoning_tokens: reasoning };
    const given = { prompt_tokens: 10, completion_tokens: completion, completion_tokens_details: details };
    const usage = decodeUsage({ ...given, ...(total !== undefined && { total_tokens: total }) }, true);
    return [usage?.outputText, usage?.outputReasoning];
  };
  assert.deepEqual(partsOf(50, 40), [50, 40]);
  assert.deepEqual(partsOf(50, 1), [50, 1]);
  assert.deepEqual(partsOf(5, 40, 15), [5, 40], 'the total leaves reasoning out, too');
  assert.deepEqual(partsOf(40, 40, 50), [0, 40]);
  assert.deepEqual(partsOf(5, 0, 16), [5, 1]);
});

test('audio and images of an answer never exceed it', () => {
  const usage = decodeUsage(
    { completion_tokens: 10, completion_tokens_details: { audio_tokens: 8, image_tokens: 8 } },
    false,
  );
  assert.deepEqual(usage, createUsage({ outputAudio: 8, outputImage: 2 }));
});

test('searches are billed as the usage counts them: by context size, or by the number of sources', () => {
  const toolsOf = (usage: JsonObject) =>
    collectPayloads([toChunk({ content: 'x' }), { ...toLastChunk('stop'), usage }]).tools;
  const kind = 'x'.repeat(40);
  assert.deepEqual(toolsOf({ search_context_size: `${kind}y` }), [{ tool: 'web_search', kind, count: 1 }]);
  assert.deepEqual(toolsOf({ num_sources_used: 3 }), [{ tool: 'live_search', count: 3 }]);
  assert.equal(toolsOf({ prompt_tokens: 1 }), undefined);
});

test('[D-8] thoughts that only the total holds are reasoning', () => {
  const usage = decodeUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 }, false);
  assert.equal(usage?.outputReasoning, 100);
  assert.equal(usage.outputText, 5);
});

test('a prompt smaller than its cached part leaves the cached part out', () => {
  const usage = decodeUsage(
    { prompt_tokens: 4, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 90 } },
    false,
  );
  assert.ok(usage && inputTokensOf(usage) === 94 && usage.inputUncached === 4);
  const details = { cached_tokens: 90, cache_write_tokens: 50 };
  const written = decodeUsage(
    { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: details },
    false,
  );
  assert.deepEqual(
    written,
    createUsage({ inputUncached: 10, inputCacheRead: 90, inputCacheWrite5m: 50, outputText: 1 }),
  );
});

test('a prompt that consists of cached and written tokens has no others', () => {
  const uncachedOf = (prompt: number, cached: number, written: number) =>
    decodeUsage(
      {
        prompt_tokens: prompt,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
      },
      false,
    )?.inputUncached;
  assert.equal(uncachedOf(90, 90, 0), 0);
  assert.equal(uncachedOf(90, 40, 50), 0);
  assert.equal(uncachedOf(90, 40, 49), 1);
  assert.equal(uncachedOf(90, 40, 51), 50);
  assert.equal(uncachedOf(90, 91, 10), 90);
});

test('[D-10] cached tokens are found where Kimi and DeepSeek put them', () => {
  const kimi = decodeUsage({ prompt_tokens: 10, completion_tokens: 1, cached_tokens: 8 }, false);
  const deepseek = decodeUsage(
    { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 },
    false,
  );
  for (const usage of [kimi, deepseek])
    assert.deepEqual([usage?.inputCacheRead, usage?.inputUncached], [8, 2]);
});

test('[D-9] usage is read from any chunk, from x_groq and from the choice; a later null does not reset it', () => {
  const given = { prompt_tokens: 5, completion_tokens: 7 };
  const streams: JsonObject[][] = [
    [
      { ...toChunk({ content: 'x' }), usage: given },
      { ...toLastChunk('stop'), usage: null },
    ],
    [toChunk({ content: 'x' }), { ...toLastChunk('stop'), x_groq: { usage: given } }],
    [toChunk({ content: 'x' }), toChunk({}, { finish_reason: 'stop', usage: given })],
  ];
  for (const stream of streams) assert.equal(collectPayloads(stream).usage?.outputText, 7);
});

test('cumulative usage: the last count wins, and a decreasing count is ignored', () => {
  const chunk = (completion: number): JsonObject => ({
    ...toChunk({ content: 'x' }),
    usage: { prompt_tokens: 5, completion_tokens: completion },
  });
  assert.equal(collectPayloads([chunk(1), chunk(9), toLastChunk('stop')]).usage?.outputText, 9);
  assert.equal(collectPayloads([chunk(9), chunk(0), toLastChunk('stop')]).usage?.outputText, 9);
  const details = { prompt_tokens_details: { cached_tokens: 4 } };
  const detailed = { ...toLastChunk('stop'), usage: { prompt_tokens: 5, completion_tokens: 9, ...details } };
  assert.equal(collectPayloads([chunk(9), detailed]).usage?.inputCacheRead, 4, 'details may come last');
});

test('an upstream without counts reports no usage', () => {
  for (const value of [undefined, null, 'x', [], {}, { prompt_tokens: null }]) {
    assert.equal(decodeUsage(value, false), undefined);
  }
});

test('[D-1] usage parts are never negative or implausibly large, whatever an upstream sends', () => {
  const wild = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.nat(5000));
  const usageObject = fc.record(
    {
      prompt_tokens: wild,
      completion_tokens: wild,
      total_tokens: wild,
      cached_tokens: wild,
      prompt_tokens_details: fc.record({ cached_tokens: wild, cache_write_tokens: wild, audio_tokens: wild }),
      completion_tokens_details: fc.record({ reasoning_tokens: wild, audio_tokens: wild }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(usageObject, fc.boolean(), (value, excludes) => {
      const usage = decodeUsage(value, excludes);
      if (!usage) return;
      for (const part of USAGE_PARTS) assert.ok(Number.isSafeInteger(usage[part]) && usage[part] >= 0, part);
    }),
  );
});

test('usage encoded for a Chat client is decoded unchanged', () => {
  const count = fc.nat(1_000_000);
  const parts = fc.record({
    inputUncached: count,
    inputCacheRead: count,
    inputCacheWrite5m: count,
    inputAudio: count,
    outputText: count,
    outputReasoning: count,
    outputAudio: count,
  });
  fc.assert(
    fc.property(parts, (value) => {
      assert.deepEqual(decodeUsage(encodeUsage(createUsage(value)), false), createUsage(value));
    }),
  );
});

test('every part of a usage is counted once', () => {
  const given = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: {
      cached_tokens: 20,
      cache_write_tokens: 30,
      cache_write_tokens_details: { ttl_12h_tokens: 10 },
      audio_tokens: 5,
    },
    completion_tokens_details: { reasoning_tokens: 8, audio_tokens: 6, image_tokens: 7 },
    num_search_queries: 3,
  };
  const parts = createUsage({
    inputUncached: 45,
    inputAudio: 5,
    inputCacheRead: 20,
    inputCacheWrite5m: 20,
    inputCacheWrite1h: 10,
    outputText: 29,
    outputReasoning: 8,
    outputAudio: 6,
    outputImage: 7,
    webSearches: 3,
  });
  assert.deepEqual(decodeUsage(given, false), parts);
  assert.deepEqual(decodeUsage({ ...given, completion_tokens: 42, total_tokens: 150 }, false), parts);
});

test('one count is enough for a usage', () => {
  assert.deepEqual(decodeUsage({ prompt_tokens: 2 }, false), createUsage({ inputUncached: 2 }));
  assert.deepEqual(decodeUsage({ completion_tokens: 3 }, false), createUsage({ outputText: 3 }));
  assert.equal(decodeUsage({}, false), undefined);
});

test('members beside the counts are kept, except what the provider charges', () => {
  const counts = {
    prompt_tokens: 1,
    total_tokens: 1,
    prompt_tokens_details: { cached_tokens: 1 },
    cost: 5,
    upstream_cost: 6,
  };
  assert.equal(findUsageLeftovers(counts), undefined);
  const more = { queue_time: 2, completion_tokens_details: { other_tokens: 3 } };
  const given = { ...counts, ...more, completion_tokens_details: { reasoning_tokens: 1, other_tokens: 3 } };
  assert.deepEqual(findUsageLeftovers(given), more);
});
