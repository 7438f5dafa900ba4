import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalogue } from '../build/load-catalogue.ts';
import { resolveModel } from './resolve-model.ts';

const NOW = Date.parse('2026-11-21');
const catalogue = await loadCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)));

function find(name: string, now = NOW): { model: string; mappings: string[] } {
  const resolution = resolveModel(catalogue, name, now);
  assert.equal(resolution.kind, 'found', name);
  return {
    model: resolution.model.id,
    mappings: resolution.mappings.map(({ providerId, externalId }) => `${providerId}:${externalId}`),
  };
}

test('a name leads to its model, however it is written', () => {
  const table: [name: string, model: string][] = [
    ['gpt-5.4', 'gpt-5.4'],
    ['gpt-5.4-2026-03-05', 'gpt-5.4'],
    ['GPT-5.4', 'gpt-5.4'],
    [' gpt-5.4 ', 'gpt-5.4'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-6[1m]', 'claude-sonnet-4-6'],
    ['mistral-large-latest', 'mistral-large-2512'],
    ['llama-3.3-70b', 'llama-3.3-70b-instruct'],
    ['local/echo', 'echo'],
  ];
  for (const [name, model] of table) assert.equal(find(name).model, model, name);
});

test('an unpinned model is routed to all its providers, a pinned one to its own', () => {
  assert.ok(find('kimi-k2.6').mappings.length >= 8);
  assert.deepEqual(find('anthropic/claude-sonnet-4-5').mappings, ['anthropic:claude-sonnet-4-5-20250929']);
  assert.deepEqual(find('anthropic/claude-sonnet-4-5-20250929[1M]').mappings, [
    'anthropic:claude-sonnet-4-5-20250929',
  ]);
  assert.deepEqual(find('groq/gpt-oss-120b').mappings, ['groq:openai/gpt-oss-120b']);
});

test('a pinned name may be the external id of the provider, slashes and all', () => {
  assert.deepEqual(find('groq/openai/gpt-oss-120b').mappings, ['groq:openai/gpt-oss-120b']);
  assert.deepEqual(find('fireworks-ai/accounts/fireworks/models/kimi-k2p6').mappings, [
    'fireworks-ai:accounts/fireworks/models/kimi-k2p6',
  ]);
  assert.equal(find('huggingface/MoonshotAI/Kimi-K2.6').model, 'kimi-k2.6');
});

test('a regional profile is used only if a request names its external id', () => {
  const eu = 'eu.anthropic.claude-opus-4-8';
  assert.deepEqual(find(`amazon-bedrock/${eu}`), {
    model: 'claude-opus-4-8',
    mappings: [`amazon-bedrock:${eu}`],
  });
  assert.deepEqual(find('amazon-bedrock/claude-opus-4-8').mappings, [
    'amazon-bedrock:global.anthropic.claude-opus-4-8',
  ]);
  const unpinned = find('claude-opus-4-8').mappings.filter((name) => name.startsWith('amazon-bedrock:'));
  assert.deepEqual(unpinned, ['amazon-bedrock:global.anthropic.claude-opus-4-8']);
});

test('an unknown name is refused with the closest names', () => {
  const closestTo = (name: string): string[] => {
    const resolution = resolveModel(catalogue, name, NOW);
    assert.equal(resolution.kind, 'unknown', name);
    return resolution.closest;
  };
  assert.equal(closestTo('claude-sonet-4-5')[0], 'claude-sonnet-4-5');
  assert.equal(closestTo('gtp-5')[0], 'gpt-5', 'swapped characters are one mistake');
  assert.equal(closestTo('gpt-5.4-nanno')[0], 'gpt-5.4-nano');
  assert.equal(closestTo('somebody/glm-5.22')[0], 'glm-5.2');
  assert.ok(closestTo('groq/gpt-oss-120').includes('groq/gpt-oss-120b'));
  assert.equal(closestTo('openai/claude-opus-4-8')[0], 'claude-opus-4-8');
  assert.deepEqual(closestTo('zzzzzzzzzzzzzzzzzzzzzzzz'), []);
  for (const name of [
    '',
    '/',
    'openai/',
    '__proto__',
    'constructor',
    'google/../../x?key=',
    'x'.repeat(200_000),
  ]) {
    assert.ok(closestTo(name).length <= 3);
  }
});

test('no name is suggested that would be refused as deactivated', () => {
  for (const name of [
    'claude-sonet-4',
    'anthropic/claude-sonet-4',
    'nobody/claude-3-opuss',
    'openai/claude-3-opus',
  ]) {
    const resolution = resolveModel(catalogue, name, NOW);
    assert.equal(resolution.kind, 'unknown', name);
    for (const suggested of resolution.closest) {
      assert.equal(resolveModel(catalogue, suggested, NOW).kind, 'found', `${name}: ${suggested}`);
    }
  }
  const before = resolveModel(catalogue, 'claude-sonet-4', Date.parse('2026-01-01'));
  assert.ok(before.kind === 'unknown' && before.closest.includes('claude-sonnet-4'));
});

test('a deactivated model reports its date and its successor', () => {
  assert.deepEqual(resolveModel(catalogue, 'claude-3-opus-20240229', NOW), {
    kind: 'deactivated',
    since: '2026-01-05',
    successor: 'claude-opus-4-8',
  });
  assert.equal(resolveModel(catalogue, 'anthropic/claude-sonnet-4', NOW).kind, 'deactivated');
});

test('deactivation takes effect at its time, not before', () => {
  const at = Date.parse('2026-01-05');
  assert.equal(resolveModel(catalogue, 'claude-3-opus', at - 1).kind, 'found');
  assert.equal(resolveModel(catalogue, 'claude-3-opus', at).kind, 'deactivated');
});

test('a deactivated mapping is skipped; if it is pinned, the refusal names the model’s other providers', () => {
  const model = catalogue.models.get('glm-5.2');
  assert.ok(model);
  const mappings = model.mappings.map((mapping) =>
    mapping.providerId === 'zai' ? { ...mapping, deactivatedAt: NOW } : mapping,
  );
  const changed = { ...catalogue, models: new Map(catalogue.models).set(model.id, { ...model, mappings }) };
  const routed = resolveModel(changed, 'glm-5.2', NOW);
  assert.ok(routed.kind === 'found' && routed.mappings.every(({ providerId }) => providerId !== 'zai'));
  assert.deepEqual(resolveModel(changed, 'zai/glm-5.2', NOW), {
    kind: 'deactivated',
    since: '2026-11-21',
    successor: 'glm-5.2',
  });
});

test('a suffix for price or throughput is no part of the name, unless a model is named so', () => {
  const strategyOf = (name: string): string | undefined => {
    const resolution = resolveModel(catalogue, name, NOW);
    assert.equal(resolution.kind, 'found', name);
    return resolution.strategy;
  };
  assert.equal(strategyOf('gpt-5.4:floor'), 'price');
  assert.equal(strategyOf(' GPT-5.4:Nitro '), 'throughput');
  assert.equal(strategyOf('groq/openai/gpt-oss-120b:nitro'), 'throughput');
  assert.equal(strategyOf('gpt-5.4'), undefined);
  const named = { ...catalogue, names: new Map(catalogue.names).set('mine:floor', 'gpt-5.4') };
  const found = resolveModel(named, 'mine:floor', NOW);
  assert.ok(found.kind === 'found' && found.strategy === undefined);
});

test('behind a suffix, names are suggested as without it, and a deactivated model is reported', () => {
  const unknown = (name: string) => {
    const resolution = resolveModel(catalogue, name, NOW);
    assert.equal(resolution.kind, 'unknown', name);
    return resolution;
  };
  assert.equal(unknown('gtp-5:floor').closest[0], 'gpt-5');
  assert.equal(unknown('gpt-5:floor:nitro').kind, 'unknown');
  assert.equal(unknown('claude-sonet-4-5:online').closest[0], 'claude-sonnet-4-5');
  assert.match(
    unknown('gpt-5.4:free').reason ?? '',
    /^the suffix :free is not supported; use gpt-5\.4, and /,
  );
  assert.match(unknown('groq/gpt-oss-120b:thinking').reason ?? '', /use groq\/gpt-oss-120b, and /);
  for (const suffix of ['floor', 'online'])
    assert.equal(resolveModel(catalogue, `claude-3-opus:${suffix}`, NOW).kind, 'deactivated');
});
