import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import { USAGE_PARTS, createUsage, inputTokensOf, outputTokensOf } from '#canonical';
import {
  decodeModelUsage,
  decodeUsage,
  encodeUsage,
  findUsageLeftovers,
  overlay,
  overlayUsage,
} from './usage.ts';

/** A plausible usage, by model. */
function split(raw: JsonObject) {
  const found = decodeModelUsage(raw);
  assert.ok(found);
  return found;
}

test('[D-1] [D-2] the parts are disjoint and add up to the reported usage', () => {
  const usage = decodeUsage({
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 3 },
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 15 },
    server_tool_use: { web_search_requests: 2 },
  });
  assert.deepEqual(usage, {
    ...createUsage(),
    inputUncached: 10,
    inputCacheRead: 100,
    inputCacheWrite5m: 4,
    inputCacheWrite1h: 3,
    outputText: 5,
    outputReasoning: 15,
    webSearches: 2,
  });
  assert.equal(inputTokensOf(usage), 117);
});

test('[D-77] writes without a split count as five minutes, and a split without a total as itself', () => {
  assert.equal(decodeUsage({ cache_creation_input_tokens: 9 })?.inputCacheWrite5m, 9);
  const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 6 };
  assert.equal(decodeUsage({ cache_creation: split })?.inputCacheWrite1h, 6);
  assert.equal(decodeUsage({ cache_creation_input_tokens: 9, cache_creation: split })?.inputCacheWrite5m, 3);
});

test('[D-11] turns of compaction and advisor are added for the bill and taken off again for the client', () => {
  const raw = {
    input_tokens: 10,
    output_tokens: 20,
    iterations: [
      { type: 'compaction', input_tokens: 300, output_tokens: 30 },
      { type: 'message', input_tokens: 10, output_tokens: 20 },
      {
        type: 'advisor_message',
        model: 'wise',
        input_tokens: 5,
        cache_read_input_tokens: 2,
        output_tokens: 1,
      },
      'garbage',
    ],
  };
  const usage = decodeUsage(raw);
  assert.ok(usage);
  assert.deepEqual([usage.inputUncached, usage.inputCacheRead, usage.outputText], [315, 2, 51]);
  const { parts } = split(raw);
  assert.deepEqual(
    parts?.map(({ model, usage: own }) => [model, own.inputUncached, own.outputText]),
    [
      [undefined, 10, 20],
      [undefined, 300, 30],
      ['wise', 5, 1],
    ],
  );
  const encoded = encodeUsage(usage, findUsageLeftovers(raw));
  assert.deepEqual(
    [encoded['input_tokens'], encoded['cache_read_input_tokens'], encoded['output_tokens']],
    [10, 0, 20],
  );
});

test('with an advisor the totals hold the first turn’s input only: the turns are billed', () => {
  const { usage, parts } = split({
    input_tokens: 412,
    output_tokens: 531,
    server_tool_use: { web_search_requests: 1 },
    iterations: [
      { type: 'message', input_tokens: 412, output_tokens: 89 },
      { type: 'advisor_message', model: 'wise', input_tokens: 823, output_tokens: 1612 },
      { type: 'message', input_tokens: 1348, cache_read_input_tokens: 412, output_tokens: 442 },
    ],
  });
  assert.deepEqual(
    parts?.map(({ model, usage: own }) => [model, own.inputUncached, own.inputCacheRead]),
    [
      [undefined, 412, 0],
      [undefined, 1348, 412],
      ['wise', 823, 0],
    ],
  );
  assert.deepEqual([usage.inputUncached, usage.outputText, usage.webSearches], [2583, 2143, 1]);
});

test('after a fallback each model is billed what it used, and a turn declined before any output nothing', () => {
  const answer = { input_tokens: 412, output_tokens: 264 };
  const declined = { type: 'message', model: 'first', input_tokens: 408, output_tokens: 0 };
  const raw = { ...answer, iterations: [declined, { type: 'fallback_message', model: 'second', ...answer }] };
  const { usage, parts } = split(raw);
  assert.deepEqual([usage.inputUncached, usage.outputText], [412, 264]);
  assert.deepEqual(
    parts?.map(({ model }) => model),
    ['second'],
  );
  const cut = { ...raw, iterations: [{ ...declined, output_tokens: 7 }, raw.iterations[1] ?? {}] };
  assert.deepEqual(
    split(cut).parts?.map(({ model, usage: own }) => [model, own.inputUncached, own.outputText]),
    [
      [undefined, 408, 7],
      ['second', 412, 264],
    ],
  );
  assert.equal(encodeUsage(usage, findUsageLeftovers(cut))['input_tokens'], 412);
});

test('[U15] usage with any numbers is either rejected or has no negative or fractional part', () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.nat(1_000_000),
    fc.constantFrom(1e308, -5, 1.5, Number.NaN),
    fc.string(),
    fc.constant(null),
  );
  const names = [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'ephemeral_5m_input_tokens',
    'ephemeral_1h_input_tokens',
    'thinking_tokens',
    'web_search_requests',
  ];
  const flat = fc.dictionary(fc.constantFrom(...names), number);
  const usage = fc.record({
    top: flat,
    cache_creation: flat,
    output_tokens_details: flat,
    server_tool_use: flat,
  });
  fc.assert(
    fc.property(usage, usage, ({ top, ...rest }, { top: later, ...latest }) => {
      const raw = overlayUsage(
        { ...top, ...rest },
        { ...later, ...latest, iterations: [{ type: 'compaction', ...top }] },
      );
      const parts = decodeUsage(raw);
      if (!parts) return;
      for (const part of USAGE_PARTS) assert.ok(Number.isSafeInteger(parts[part]) && parts[part] >= 0);
      const encoded = encodeUsage(parts, findUsageLeftovers(raw));
      assert.ok(
        (encoded['output_tokens'] as number) >= 0 &&
          (encoded['output_tokens'] as number) <= outputTokensOf(parts),
      );
    }),
    { numRuns: 300 },
  );
});

test('clients get every part of a usage once, and members without a count only where there is one', () => {
  const usage = createUsage({
    inputUncached: 10,
    inputAudio: 3,
    inputImage: 4,
    inputCacheRead: 5,
    inputCacheWrite5m: 6,
    inputCacheWrite1h: 7,
    outputText: 8,
    outputReasoning: 1,
    webSearches: 1,
  });
  const counts = {
    input_tokens: 17,
    cache_creation_input_tokens: 13,
    cache_read_input_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 7 },
    output_tokens: 9,
  };
  assert.deepEqual(encodeUsage(usage), {
    ...counts,
    output_tokens_details: { thinking_tokens: 1 },
    server_tool_use: { web_search_requests: 1 },
  });
  const without = { ...usage, outputText: 9, outputReasoning: 0, webSearches: 0 };
  assert.deepEqual(encodeUsage(without), counts);
  const leftovers: JsonObject = {
    server_tool_use: { web_fetch_requests: 2 },
    output_tokens_details: { other: 3 },
  };
  assert.deepEqual(encodeUsage(usage, leftovers), {
    ...counts,
    server_tool_use: { web_fetch_requests: 2 },
    output_tokens_details: { other: 3, thinking_tokens: 1 },
  });
});

test('cache writes without a split are those of five minutes', () => {
  const usage = decodeUsage({ input_tokens: 1, cache_creation_input_tokens: 4, output_tokens: 2 });
  assert.deepEqual(usage, createUsage({ inputUncached: 1, inputCacheWrite5m: 4, outputText: 2 }));
  assert.deepEqual(decodeUsage({ input_tokens: 1 }), createUsage({ inputUncached: 1 }));
  assert.equal(findUsageLeftovers({ input_tokens: 1 }), undefined);
  assert.deepEqual(findUsageLeftovers({ input_tokens: 1, iterations: [] }), { iterations: [] });
  const turns = { input_tokens: 1, iterations: [{ type: 'message', input_tokens: 1 }] };
  assert.deepEqual(findUsageLeftovers(turns), turns);
  assert.deepEqual(findUsageLeftovers({ input_tokens: 1, service_tier: 'batch' }), { service_tier: 'batch' });
});

test('an input that a stream counted at its start is kept if its end has zeros, and replaced otherwise', () => {
  const start = { input_tokens: 1, cache_read_input_tokens: 2 };
  const end = (input: number): JsonObject => ({
    input_tokens: input,
    cache_read_input_tokens: 0,
    output_tokens: 9,
  });
  assert.deepEqual(overlayUsage(start, end(0)), { ...start, output_tokens: 9 });
  assert.deepEqual(overlayUsage(start, end(1)), end(1));
  assert.deepEqual(overlayUsage({ input_tokens: 0 }, end(0)), end(0));
  assert.deepEqual(overlayUsage({ input_tokens: 1 }, { input_tokens: 0 }), { input_tokens: 1 });
  for (const counted of [{ input_tokens: 0, cache_read_input_tokens: 1 }, { cache_creation_input_tokens: 1 }])
    assert.equal(overlayUsage({ input_tokens: 2 }, { input_tokens: 0, ...counted }).input_tokens, 0);
});

test('a count that cannot be makes the whole usage unknown', () => {
  assert.equal(decodeUsage({ input_tokens: 5, output_tokens: -1 }), undefined);
});

test('null replaces no earlier value, and no member becomes a prototype', () => {
  assert.deepEqual(overlay({ a: 1 }, { a: null, b: null }), { a: 1, b: null });
  const merged = overlay({}, { ['__proto__']: { a: 1 }, b: 2 });
  assert.deepEqual([merged, merged['a']], [{ b: 2 }, undefined]);
});

test('a usage of more turns than any answer has is not believed', () => {
  const turns = (count: number) => ({
    input_tokens: 1,
    output_tokens: 1,
    iterations: Array.from({ length: count }, () => ({ type: 'compaction', input_tokens: 1 })),
  });
  assert.equal(decodeUsage(turns(1_000))?.inputUncached, 1_001);
  assert.equal(decodeUsage(turns(1_001)), undefined);
});
