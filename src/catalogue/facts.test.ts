import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatUsd } from '#base';
import { LEFT_OUT, listFacts, skipWithoutFacts as skip } from '../../test/support/catalogue-facts.ts';
import { loadCatalogue } from './build/load-catalogue.ts';
import { readCatalogueFiles } from './build/read-files.ts';
import { resolveModel } from './names/resolve-model.ts';

const dir = fileURLToPath(new URL('../../catalogue', import.meta.url));
const catalogue = await loadCatalogue(dir);

const FIELDS = [
  ['input', 'input'],
  ['output', 'output'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite5m'],
] as const;

/** Where the facts are not followed, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'anthropic/claude-3-sonnet cacheRead': 'the model has no prompt caching',
  'anthropic/claude-3-sonnet cacheWrite5m': 'the model has no prompt caching',
  'azure/gpt-image-1.5 output':
    'text that is written costs less than images, which have a price of their own',
  ...Object.fromEntries(
    ['flash', 'pro'].flatMap((name) =>
      ['input', 'output', 'cacheRead'].map((part) => [
        `deepseek/deepseek-v4-${name} ${part}`,
        'DeepSeek raised its prices after the facts were written',
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['3.6-plus', '3.7-plus', '3.6-max-preview'].map((name) => [
      `alibaba/qwen${name} cacheRead`,
      'the facts have the price of the explicit cache, which is half of it',
    ]),
  ),
  'openai/gpt-3.5-turbo cacheRead': 'the model has no prompt caching',
  'novita-ai/mimo-v2-flash cacheRead': 'no provider charges more for reading a cache than for uncached input',
  'minimax/minimax-m2.1 cacheRead': 'the facts have none',
  'minimax/minimax-m2.1 cacheWrite5m': 'the facts have none',
  'togetherai/qwen3.5-397b-a17b cacheRead': 'the facts have none',
  'togetherai/qwen3.7-max cacheRead': 'the facts have none',
};

/** The facts for a mapping. */
function indexFacts() {
  const entries = listFacts().flatMap(({ providers, id, facts }) =>
    providers.map((provider) => [`${provider}/${id}`, facts] as const),
  );
  return new Map(entries);
}

test('prices of text and caches equal the facts, except where a reason is given', { skip }, () => {
  const facts = indexFacts();
  const differing = readCatalogueFiles(dir).models.flatMap(({ id, mappings }) =>
    mappings.flatMap(({ provider, externalId, price }) => {
      const cost = facts.get(`${provider}/${externalId}`)?.cost;
      if (!cost || !price) return [];
      return FIELDS.filter(([fact, part]) => {
        const ours = price[part];
        const reported = cost[fact];
        return reported === undefined || ours === undefined
          ? reported !== ours
          : Math.abs(reported - Number(ours)) > 1e-6;
      }).map(([, part]) => `${provider}/${id} ${part}`);
    }),
  );
  assert.deepEqual(differing.sort(), Object.keys(EXCEPTIONS).sort());
});

test(
  'every model of the facts can be called at its provider, or the reason why not is given',
  { skip },
  () => {
    const now = Date.parse('2026-11-23');
    const missing = listFacts()
      .filter(({ providers, id }) =>
        providers.every((provider) => resolveModel(catalogue, `${provider}/${id}`, now).kind === 'unknown'),
      )
      .map(({ providers, id }) => `${providers[0] ?? ''}/${id}`);
    const reasons = Object.keys(LEFT_OUT).map((name) => [name, toPattern(name)] as const);
    const unexplained = missing.filter((name) => !reasons.some(([, pattern]) => pattern.test(name)));
    assert.deepEqual(unexplained, []);
    const outdated = reasons.filter(([, pattern]) => !missing.some((name) => pattern.test(name)));
    assert.deepEqual(outdated, []);
  },
);

function toPattern(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

test('a mapping is deprecated or in beta if the facts say so', { skip }, () => {
  const facts = indexFacts();
  for (const { mappings } of catalogue.models.values()) {
    for (const { providerId, externalId, stability, deactivatedAt } of mappings) {
      const known = facts.get(`${providerId}/${externalId}`);
      if (known?.status === undefined || deactivatedAt !== undefined) continue;
      assert.equal(stability, known.status, `${providerId}/${externalId}`);
    }
  }
});

test('regional profiles cost 1.1 times the global one, which the facts confirm for Europe', { skip }, () => {
  const facts = indexFacts();
  const regional = [...catalogue.models.values()]
    .flatMap(({ mappings }) => mappings)
    .filter(({ region }) => region !== undefined);
  const known = regional.filter(({ externalId }) => facts.has(`amazon-bedrock/${externalId}`));
  assert.equal(known.length, 29);
  for (const { modelId, externalId, region, price } of regional) {
    const global = catalogue.models
      .get(modelId)
      ?.mappings.find(({ externalId: id }) => id.startsWith('global.'));
    assert.ok(price && global?.price, externalId);
    assert.equal(price.parts.inputUncached * 10n, global.price.parts.inputUncached * 11n, externalId);
    assert.equal(price.parts.outputText * 10n, global.price.parts.outputText * 11n, externalId);
    const cost = facts.get(`amazon-bedrock/${externalId}`)?.cost;
    if (!cost || region !== 'eu') continue;
    const perMillion = (amount: bigint): number => Number(formatUsd(amount * 1_000_000n));
    assert.equal(perMillion(price.parts.inputUncached), cost['input'], externalId);
    assert.equal(perMillion(price.parts.outputText), cost['output'], externalId);
    assert.equal(perMillion(price.parts.inputCacheRead), cost['cache_read'], externalId);
    assert.equal(perMillion(price.parts.inputCacheWrite5m), cost['cache_write'], externalId);
  }
});
