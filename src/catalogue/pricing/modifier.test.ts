import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatUsd } from '#base';
import { INPUT_PARTS, type PriceOptions, createUsage } from '#canonical';
import type { Mapping } from '../catalogue.ts';
import { extendCatalogue } from '../build/extend-catalogue.ts';
import { loadCatalogue } from '../build/load-catalogue.ts';
import { findRate, limitsWith, listOwnPrices, listRates, mergeModifiers } from './modifier.ts';
import { explainFactors, priceParts, worstCaseRate } from './priced-part.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)));

type Priced = Mapping & { price: NonNullable<Mapping['price']> };

function get(providerId: string, modelId: string, from = catalogue): Priced {
  const mapping = from.models.get(modelId)?.mappings.find((one) => one.providerId === providerId);
  assert.ok(mapping?.price, `${providerId}/${modelId}`);
  return mapping as Priced;
}

/** What 100,000 tokens in and 10,000 out cost, in USD. */
function price(mapping: Priced, requested: PriceOptions, served: PriceOptions = {}): string {
  const usage = createUsage({ inputUncached: 100_000, outputText: 10_000 });
  return formatUsd(
    priceParts([{ modelId: mapping.modelId, usage, ...findRate(mapping, requested, served) }]),
  );
}

const PROMPT = { tokens: 100_000, cached: 0, parts: INPUT_PARTS };

/** What is held for as many: of a Claude model every token in may be written to the cache for an hour. */
function hold(mapping: Priced, requested: PriceOptions): string {
  const amounts = listRates(mapping, requested).rates.map((rate) => worstCaseRate(rate, PROMPT, 10_000));
  return formatUsd(amounts.reduce((most, amount) => (amount > most ? amount : most), 0n));
}

test('the service tier of the answer is billed, otherwise the requested one', () => {
  const gpt = get('openai', 'gpt-5.2'); // 1.75 in, 14 out
  assert.equal(price(gpt, {}), '0.315');
  assert.equal(price(gpt, { service_tier: 'priority' }, { service_tier: 'priority' }), '0.63');
  assert.equal(price(gpt, { service_tier: 'priority' }, { service_tier: 'default' }), '0.315');
  assert.equal(price(gpt, { service_tier: 'priority' }), '0.63');
  assert.equal(price(gpt, { service_tier: 'fast' }, { service_tier: 'fast' }), '0.63');
  assert.equal(price(gpt, { service_tier: 'flex' }, { service_tier: 'flex' }), '0.1575');
  assert.equal(price(gpt, { service_tier: 'auto' }), '0.315');
  assert.equal(price(gpt, {}, { service_tier: 'priority' }), '0.63');
  // An unknown tier is billed as the requested one.
  assert.equal(price(gpt, { service_tier: 'priority' }, { service_tier: 'turbo' }), '0.63');
});

test('hits of a cache with marks cost half of those that Alibaba finds by itself, in long prompts too', () => {
  const qwen = get('alibaba', 'qwen3.6-plus'); // 0.1 per hit, 0.4 in prompts above 256,000 tokens
  const pay = (inputCacheRead: number, served: PriceOptions): string => {
    const [usage, rate] = [createUsage({ inputCacheRead }), findRate(qwen, {}, served)];
    return formatUsd(priceParts([{ modelId: qwen.modelId, usage, ...rate }]));
  };
  const marked = { cache_type: 'ephemeral' };
  assert.deepEqual([pay(100_000, {}), pay(100_000, marked)], ['0.01', '0.005']);
  assert.deepEqual([pay(300_000, {}), pay(300_000, marked)], ['0.12', '0.06']);
  const { price: own, factors } = findRate(qwen, {}, marked);
  assert.deepEqual(factors, [{ name: 'cache_type', value: 'ephemeral', factor: '1' }]);
  assert.ok(
    listOwnPrices(qwen).some((one) => one.version === own.version),
    'its version is kept',
  );
  const gpt = get('openai', 'gpt-5.2');
  assert.deepEqual(findRate(gpt, {}, marked), findRate(gpt, {}), 'elsewhere it changes nothing');
});

test('a value with token prices and a factor of cache reads has both', () => {
  const option = { price: { input: '4', output: '8', cacheRead: '2' }, cacheReadFactor: '0.5' };
  const mapping = {
    ...get('openai', 'gpt-5.2'),
    modifiers: { cache_type: { values: { ephemeral: option } } },
  };
  const { price, factors } = findRate(mapping, {}, { cache_type: 'ephemeral' });
  assert.deepEqual([price.parts.inputUncached, price.parts.inputCacheRead], [4_000_000n, 1_000_000n]);
  assert.equal(factors.length, 1);
  assert.ok(listOwnPrices(mapping).some(({ version }) => version === price.version));
});

test('what a request may become is held for: a discount may not be granted', () => {
  const gpt = get('openai', 'gpt-5.2');
  assert.equal(hold(gpt, {}), '0.315');
  assert.equal(hold(gpt, { service_tier: 'priority' }), '0.63');
  assert.equal(hold(gpt, { service_tier: 'fast' }), '0.63');
  assert.equal(hold(gpt, { service_tier: 'flex' }), '0.315');
});

test('Anthropic: fast and US inference multiply tokens, one after the other', () => {
  const opus = get('anthropic', 'claude-opus-4-6'); // 5 in, 25 out
  assert.equal(price(opus, {}), '0.75');
  assert.equal(price(opus, { speed: 'fast' }, { speed: 'fast' }), '4.5');
  assert.equal(price(opus, { speed: 'fast' }, { speed: 'standard' }), '0.75');
  assert.equal(price(opus, { inference_geo: 'us' }, { inference_geo: 'us' }), '0.825');
  assert.equal(price(opus, { speed: 'fast', inference_geo: 'us' }), '4.95');
  assert.equal(hold(opus, { speed: 'fast', inference_geo: 'us' }), '8.25'); // (100,000 × 10 + 10,000 × 25) × 6 × 1.1
  assert.equal(price(opus, { service_tier: 'auto' }, { service_tier: 'priority' }), '0.75');
  assert.equal(price(get('anthropic', 'claude-opus-4-8'), { speed: 'fast' }), '1.5');
});

test('a value may have its own token prices; searches and other prices are unchanged', () => {
  const mini = get('openai', 'gpt-4o-mini');
  assert.equal(price(mini, { service_tier: 'priority' }), '0.035');
  const own = listOwnPrices(mini)[0];
  assert.ok(own);
  assert.equal(own.parts.inputCacheRead, 125_000n);
  assert.notEqual(own.version, mini.price.version);
  const rate = findRate(mini, { service_tier: 'priority' });
  assert.equal(rate.price.version, own.version);
});

test('a value without a known price is named, whatever the provider', () => {
  assert.deepEqual(listRates(get('openai', 'gpt-5-nano'), { service_tier: 'priority' }).unpriced, {
    field: 'service_tier',
    value: 'priority',
  });
  assert.deepEqual(listRates(get('openai', 'gpt-5-nano'), { service_tier: 'fast' }).unpriced?.value, 'fast');
  assert.deepEqual(
    listRates(get('anthropic', 'claude-haiku-4-5'), { speed: 'fast' }).unpriced?.field,
    'speed',
  );
  assert.deepEqual(
    listRates(get('deepseek', 'deepseek-v4-pro'), { service_tier: 'flex' }).unpriced?.value,
    'flex',
  );
  assert.equal(
    listRates(get('openai', 'gpt-5'), { service_tier: 'constructor' }).unpriced?.value,
    'constructor',
  );
  for (const value of ['auto', 'default', 'standard', 'standard_only'])
    assert.equal(listRates(get('deepseek', 'deepseek-v4-pro'), { service_tier: value }).unpriced, undefined);
});

test('if the operator allows unpriced values, they cost the standard price, and the bill shows it', () => {
  const rate = findRate(
    get('openai', 'gpt-5-nano'),
    { service_tier: 'priority' },
    { service_tier: 'priority' },
  );
  assert.deepEqual(rate.factors, [
    { name: 'service_tier', value: 'priority', requested: 'priority', factor: '1', unpriced: true },
  ]);
});

test('an operator whose account defaults to a more expensive value sets it in one line', () => {
  const own = extendCatalogue(catalogue, [
    { id: 'openai', modifiers: { service_tier: { values: { auto: { becomes: ['priority', 'default'] } } } } },
    { id: 'anthropic', modifiers: { inference_geo: { absent: 'us' } } },
    {
      id: 'acme',
      format: 'chat',
      baseUrl: 'http://a',
      modifiers: { service_tier: { values: { turbo: { factor: '3' } } } },
      models: [
        { id: 'acme-1', price: { input: '1', output: '1' } },
        {
          id: 'acme-2',
          price: { input: '1', output: '1' },
          modifiers: { service_tier: { values: { turbo: { factor: '4' } } } },
        },
      ],
    },
  ]);
  const gpt = get('openai', 'gpt-5.2', own);
  assert.equal(hold(gpt, {}), '0.63');
  assert.equal(price(gpt, {}, { service_tier: 'default' }), '0.315');
  assert.equal(price(gpt, {}), '0.63');
  const opus = get('anthropic', 'claude-opus-4-6', own);
  assert.equal(hold(opus, {}), '1.375');
  assert.equal(price(opus, {}, { inference_geo: 'global' }), '0.75');
  assert.equal(price(opus, { speed: 'fast' }, { speed: 'fast', inference_geo: 'us' }), '4.95');
  assert.equal(price(get('acme', 'acme-1', own), { service_tier: 'turbo' }), '0.33');
  assert.equal(price(get('acme', 'acme-2', own), { service_tier: 'turbo' }), '0.44');
});

test('the long context of a beta value opens the limit and the tier that prices it', () => {
  const sonnet = get('anthropic', 'claude-sonnet-4-5');
  assert.equal(limitsWith(sonnet, []).contextLength, 200_000);
  assert.equal(limitsWith(sonnet, ['context-1m-2025-08-07']).contextLength, 1_000_000);
  assert.equal(limitsWith(sonnet, ['output-300k-2026-03-24', '__proto__']).maxOutput, 300_000);
  const usage = createUsage({ inputUncached: 300_000, outputText: 10_000 });
  const part = { modelId: sonnet.modelId, usage, ...findRate(sonnet, {}) };
  assert.equal(formatUsd(priceParts([part])), '2.025');
});

test('the parts are added exactly and rounded up once, to a pico-USD', () => {
  const gpt = get('openai', 'gpt-5.2');
  const third = mergeModifiers(gpt.modifiers, {
    service_tier: { values: { odd: { factor: '0.000001' } } },
  });
  const odd: Priced = { ...gpt, ...(third && { modifiers: third }) };
  // 1 token of 1,750,000 pico-USD: 1.75 of them; twice is 3.5, which is 4.
  const part = {
    modelId: 'x',
    usage: createUsage({ inputUncached: 1 }),
    ...findRate(odd, { service_tier: 'odd' }),
  };
  assert.equal(priceParts([part]), 2n);
  assert.equal(priceParts([part, part]), 4n);
  const [explained] = explainFactors({ ...part, usage: createUsage({ inputUncached: 4 }) });
  assert.equal(explained?.amount, 7n - 7_000_000n);
});
