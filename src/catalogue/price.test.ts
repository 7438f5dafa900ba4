import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Usage } from '#canonical';
import { INPUT_PARTS, USAGE_PARTS, createUsage, inputTokensOf, outputTokensOf } from '#canonical';
import {
  type Price,
  encodePrice,
  explainPrice,
  parsePrice,
  priceUsage,
  repriceTools,
  restorePrice,
  scalePrice,
  withTokenPrices,
  worstCaseTokens,
} from './price.ts';

const worstCasePrice = (price: Price, tokens: number, outputTokens: number): bigint =>
  price.request + worstCaseTokens(price, { tokens, cached: 0, parts: INPUT_PARTS }, outputTokens);

const OPUS = parsePrice({
  input: '5',
  output: '25',
  cacheRead: '0.5',
  cacheWrite5m: '6.25',
  cacheWrite1h: '10',
});
const TIERED = parsePrice({
  input: '2.5',
  output: '15',
  cacheRead: '0.25',
  tiers: [{ aboveInputTokens: 272_000, input: '5', output: '22.5', cacheRead: '0.5' }],
});

test('every part of a usage is priced at its own rate, to the pico-USD', () => {
  const usage = createUsage({
    inputUncached: 3,
    inputCacheRead: 7,
    inputCacheWrite5m: 11,
    inputCacheWrite1h: 13,
    outputText: 17,
    outputReasoning: 19,
  });
  // 3×5 + 7×0.5 + 11×6.25 + 13×10 + 36×25 µUSD.
  assert.equal(priceUsage(OPUS, usage), 1_117_250_000n);
});

test('a missing price is never nothing: caching costs input, reasoning and audio cost text', () => {
  const { parts } = parsePrice({ input: '3', output: '15' });
  assert.equal(parts.inputCacheRead, parts.inputUncached);
  assert.equal(parts.inputCacheWrite5m, parts.inputUncached);
  assert.equal(parts.inputCacheWrite1h, parts.inputUncached);
  assert.equal(parts.inputAudio, parts.inputUncached);
  assert.equal(parts.outputReasoning, parts.outputText);
  assert.equal(parts.outputAudio, parts.outputText);
  assert.equal(parts.webSearches, 0n);
  const written = parsePrice({ input: '3', output: '15', cacheWrite5m: '3.75' });
  assert.equal(written.parts.inputCacheWrite1h, 3_750_000n);
});

test('a long context is priced as a whole from one token past its threshold', () => {
  const usageOf = (inputUncached: number): Usage => createUsage({ inputUncached, outputText: 1 });
  assert.equal(priceUsage(TIERED, usageOf(271_999)), 271_999n * 2_500_000n + 15_000_000n);
  assert.equal(priceUsage(TIERED, usageOf(272_000)), 272_000n * 2_500_000n + 15_000_000n);
  assert.equal(priceUsage(TIERED, usageOf(272_001)), 272_001n * 5_000_000n + 22_500_000n);
});

test('cached tokens count towards the threshold', () => {
  const usage = createUsage({ inputUncached: 1, inputCacheRead: 272_000 });
  assert.equal(priceUsage(TIERED, usage), 5_000_000n + 272_000n * 500_000n);
});

test('the last threshold exceeded decides, in whatever order the tiers were written', () => {
  const price = parsePrice({
    input: '1',
    output: '1',
    tiers: [
      { aboveInputTokens: 200, input: '3', output: '3' },
      { aboveInputTokens: 100, input: '2', output: '2' },
    ],
  });
  const costs = [100, 101, 200, 201].map((inputUncached) =>
    priceUsage(price, createUsage({ inputUncached })),
  );
  assert.deepEqual(costs, [100_000_000n, 202_000_000n, 400_000_000n, 603_000_000n]);
});

test('a price per request is charged once', () => {
  const price = parsePrice({ input: '1', output: '1', request: '0.005' });
  assert.equal(priceUsage(price, createUsage({ inputUncached: 10 })), 5_000_000_000n + 10_000_000n);
  assert.equal(worstCasePrice(price, 10, 0), 5_000_000_000n + 10_000_000n);
});

test('the worst case of a prompt that is partly cached reads that part at its own price', () => {
  const parts = ['inputUncached', 'inputCacheRead'] as const;
  const cost = worstCaseTokens(OPUS, { tokens: 10, cached: 4, parts }, 2);
  assert.equal(cost, 6n * 5_000_000n + 4n * 500_000n + 2n * 25_000_000n);
});

test('the worst case of a prompt is priced by the threshold it exceeds, without any cache', () => {
  assert.equal(worstCasePrice(TIERED, 100, 2), 100n * 2_500_000n + 2n * 15_000_000n);
  assert.equal(worstCasePrice(TIERED, 272_000, 0), 272_000n * 2_500_000n);
  assert.equal(worstCasePrice(TIERED, 272_001, 0), 272_001n * 5_000_000n);
});

test('a factor multiplies each token price of each tier exactly, and nothing else', () => {
  const file = { input: '2', output: '10', request: '0.005', perImage: { default: '0.04' } };
  const price = parsePrice({ ...file, tiers: [{ aboveInputTokens: 10, input: '4', output: '20' }] });
  const scaled = scalePrice(price, '1.25');
  assert.deepEqual(scaled, {
    ...parsePrice({ ...file, input: '2.5', output: '12.5' }),
    tiers: [{ aboveInputTokens: 10, parts: parsePrice({ input: '5', output: '25' }).parts }],
    version: scaled.version,
  });
  assert.notEqual(scaled.version, price.version);
  assert.throws(() => scalePrice(parsePrice({ input: '0.000001', output: '1' }), '1.5'), RangeError);
});

test('other token prices leave those of units and requests as they are, and other tools leave all', () => {
  const units = { request: '0.005', perImage: { default: '0.04' } };
  const price = parsePrice({ input: '2', output: '10', ...units });
  const other = { input: '3', output: '15' };
  assert.deepEqual(withTokenPrices(price, other), parsePrice({ ...other, ...units }));
  assert.deepEqual(withTokenPrices(OPUS, other), parsePrice(other));
  assert.deepEqual(repriceTools(OPUS, []), OPUS);
});

test('what costs nothing is held at nothing', () => {
  assert.equal(worstCasePrice(parsePrice({ input: '0', output: '0' }), 1_000, 1_000), 0n);
});

test('a bill has a line for searches only where the tokens’ price has one for them', () => {
  const usage = createUsage({ inputUncached: 1, webSearches: 2 });
  const partsOf = (price: typeof OPUS): string[] => explainPrice(price, usage).map(({ part }) => part);
  assert.deepEqual(partsOf(OPUS), ['inputUncached']);
  const searching = { ...OPUS, parts: { ...OPUS.parts, webSearches: 1n } };
  assert.deepEqual(partsOf(searching), ['inputUncached', 'webSearches']);
  assert.equal(priceUsage(searching, usage), 5_000_002n, 'as an earlier version charged them');
});

test('an amount that is no price is refused by name', () => {
  for (const input of ['-1', '', 'free', '1e3', '0.0000001']) {
    assert.throws(() => parsePrice({ input, output: '1' }), { name: 'RangeError', message: /price\.input/ });
  }
});

test('the version of a price follows its content', () => {
  const again = parsePrice({
    output: '25',
    input: '5.00',
    cacheRead: '0.5',
    cacheWrite1h: '10',
    cacheWrite5m: '6.25',
  });
  assert.equal(again.version, OPUS.version);
  assert.notEqual(
    parsePrice({ input: '5', output: '25.000001' }).version,
    parsePrice({ input: '5', output: '25' }).version,
  );
  assert.match(OPUS.version, /^[0-9a-f]{12}$/);
});

const count = fc.nat({ max: 600_000 });
const usages = fc.record(
  Object.fromEntries(USAGE_PARTS.map((part) => [part, count])) as Record<keyof Usage, typeof count>,
);
const amount = fc
  .nat({ max: 99_999_999 })
  .map((micros) => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`);
const prices = fc
  .record({
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite5m: amount,
    cacheWrite1h: amount,
    reasoning: amount,
    inputAudio: amount,
    outputAudio: amount,
    request: amount,
  })
  .chain((base) =>
    fc
      .record({ aboveInputTokens: fc.integer({ min: 1, max: 900_000 }), input: amount, output: amount })
      .map((tier) => parsePrice({ ...base, tiers: [tier] })),
  );

test('the cost of a usage is the sum of the costs of its parts in its tier', () => {
  fc.assert(
    fc.property(prices, usages, (price, usage) => {
      const tier = price.tiers.find(({ aboveInputTokens }) => inputTokensOf(usage) > aboveInputTokens);
      const parts = tier?.parts ?? price.parts;
      const sum = USAGE_PARTS.reduce(
        (total, part) => total + parts[part] * BigInt(usage[part]),
        price.request,
      );
      assert.equal(priceUsage(price, usage), sum);
    }),
  );
});

test('no usage within its bounds costs more than the worst case', () => {
  fc.assert(
    fc.property(prices, usages, count, (price, usage, slack) => {
      const bounded = { ...usage, webSearches: 0 };
      const worst = worstCasePrice(price, inputTokensOf(bounded) + slack, outputTokensOf(bounded) + slack);
      assert.ok(priceUsage(price, bounded) <= worst);
    }),
  );
});

test('a stored price is restored exactly, and explains every bill to the pico-USD', () => {
  const count = fc.nat(1_000_000);
  const parts = Object.fromEntries(USAGE_PARTS.map((part) => [part, count])) as Record<
    keyof Usage,
    typeof count
  >;
  const charged = parsePrice({ input: '1', output: '2', request: '0.001' });
  for (const price of [OPUS, TIERED, charged]) {
    const restored = restorePrice(price.version, JSON.stringify(encodePrice(price)));
    assert.deepEqual(restored, price);
    fc.assert(
      fc.property(fc.record(parts), (usage) => {
        const lines = explainPrice(restored, usage);
        for (const { units, price: each, amount } of lines) assert.equal(each * BigInt(units), amount);
        assert.equal(
          lines.reduce((sum, { amount }) => sum + amount, 0n),
          priceUsage(price, usage),
        );
      }),
      { numRuns: 200 },
    );
  }
});
