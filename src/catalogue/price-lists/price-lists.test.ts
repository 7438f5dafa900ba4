import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { buildCatalogue } from '../build/build-catalogue.ts';
import type { MappingFile } from '../schema/file-schema.ts';
import { priceUsage } from '../price.ts';
import { comparePriceList } from './compare-price-list.ts';
import { readPriceList } from './price-list.ts';

const NOW = Date.parse('2026-11-24');

function createCatalogue(mappings: MappingFile[]) {
  const providers = ['anthropic', 'google', 'azure'].map((id) => ({
    id,
    name: id,
    format: 'chat' as const,
    baseUrl: `https://${id}.example/v1`,
  }));
  const model = {
    id: 'claude-tall-4-5',
    name: 'Tall',
    family: 'claude',
    description: 'Tall',
    created: '2026-01-01',
    input: ['text' as const],
    output: ['text' as const],
    tokenizer: 'Claude',
    aliases: ['claude-tall'],
  };
  return buildCatalogue({ providers, models: [{ ...model, mappings }] });
}

const offer = (
  provider: string,
  price: MappingFile['price'],
  more: Partial<MappingFile> = {},
): MappingFile => ({
  provider,
  externalId: 'claude-tall-4-5-20260101',
  capabilities: [],
  ...(price && { price }),
  ...more,
});

const OWN = { input: '3', output: '15', cacheRead: '0.3', cacheWrite5m: '3.75' };

test('the list of LiteLLM is read with its numbers as exact decimals', () => {
  const list = readPriceList({
    sample_spec: { input_cost_per_token: 'as a number' },
    'claude-tall-4-5-20260101': {
      litellm_provider: 'anthropic',
      mode: 'chat',
      input_cost_per_token: 3e-6,
      output_cost_per_token: 1.5e-5,
      cache_read_input_token_cost: 3e-7,
      cache_creation_input_token_cost: 3.75e-6,
    },
    'azure/claude-tall': {
      litellm_provider: 'azure',
      input_cost_per_token: 1.1e-7,
      output_cost_per_token: 2e-6,
    },
    'somewhere/else': { litellm_provider: 'nowhere', input_cost_per_token: 1, output_cost_per_token: 1 },
    painter: { litellm_provider: 'anthropic', output_cost_per_image: 0.04 },
  });
  assert.deepEqual(list, [
    { providerId: 'anthropic', name: 'claude-tall-4-5-20260101', amounts: OWN },
    { providerId: 'azure', name: 'claude-tall', amounts: { input: '0.11', output: '2' } },
  ]);
});

test('the list of OpenRouter is read for authors that sell their own models, without variants', () => {
  const pricing = { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003', request: '0' };
  const list = readPriceList({
    data: [
      { id: 'anthropic/claude-tall-4.5', pricing },
      { id: 'anthropic/claude-tall-4.5:free', pricing: { prompt: '0', completion: '0' } },
      { id: 'meta-llama/llama', pricing },
      { id: 'anthropic/unpriced', pricing: { prompt: '-1', completion: '-1' } },
    ],
  });
  const amounts = { input: '3', output: '15', cacheRead: '0.3' };
  assert.deepEqual(list, [{ providerId: 'anthropic', name: 'claude-tall-4.5', amounts }]);
});

test('what is no list of prices is none', () => {
  for (const value of [undefined, null, 3, [], {}, { models: [] }])
    assert.equal(readPriceList(value), undefined);
});

test('a price is compared under any name of its model, once, and equal ones are no drift', () => {
  const catalogue = createCatalogue([offer('anthropic', OWN), offer('azure', { input: '5', output: '20' })]);
  const listed = (name: string, input: string) => ({
    providerId: 'anthropic',
    name,
    amounts: { input, output: '15' },
  });
  for (const name of ['claude-tall-4.5', 'Claude-Tall', 'claude-tall-4-5@20260101']) {
    const { compared, drifts } = comparePriceList(catalogue, [listed(name, '3'), listed(name, '9')], NOW);
    assert.equal(compared, 1, name);
    assert.deepEqual(drifts, []);
  }
  const { drifts } = comparePriceList(catalogue, [listed('claude-tall', '4')], NOW);
  const [drift] = drifts;
  assert.deepEqual(
    drifts.map(({ providerId, modelId, amounts }) => ({ providerId, modelId, amounts })),
    [
      {
        providerId: 'anthropic',
        modelId: 'claude-tall-4-5',
        amounts: [{ name: 'input', here: '3', listed: '4' }],
      },
    ],
  );
  const usage = createUsage({ inputUncached: 1_000_000, inputCacheRead: 1_000_000, outputText: 1_000_000 });
  assert.equal(
    drift && priceUsage(drift.listed.price, usage),
    4_000_000_000_000n + 300_000_000_000n + 15_000_000_000_000n,
  );
});

test('parts without a price of their own follow the part that they cost as much as', () => {
  const catalogue = createCatalogue([offer('google', { input: '1', output: '10' })]);
  const amounts = { input: '2', output: '30' };
  const { drifts } = comparePriceList(
    catalogue,
    [{ providerId: 'google', name: 'claude-tall', amounts }],
    NOW,
  );
  const parts = drifts[0]?.listed.price.parts;
  assert.equal(parts?.inputCacheRead, 2_000_000n);
  assert.equal(parts.outputReasoning, 30_000_000n);
  const cached = { ...amounts, cacheRead: '0.5' };
  const [other] = comparePriceList(
    catalogue,
    [{ providerId: 'google', name: 'claude-tall', amounts: cached }],
    NOW,
  ).drifts;
  assert.equal(other?.listed.price.parts.inputCacheRead, 500_000n);
});

test('models that are shut down or have no price are not compared', () => {
  const catalogue = createCatalogue([
    offer('anthropic', OWN, { deactivatedAt: '2026-01-01' }),
    offer('azure', undefined),
  ]);
  const list = ['anthropic', 'azure'].map((providerId) => ({
    providerId,
    name: 'claude-tall',
    amounts: { input: '4', output: '15' },
  }));
  assert.deepEqual(comparePriceList(catalogue, list, NOW), { compared: 0, drifts: [] });
});
