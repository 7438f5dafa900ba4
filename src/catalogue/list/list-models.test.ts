import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Compile } from 'typebox/compile';
import type { Catalogue, Mapping, Model } from '../catalogue.ts';
import type { ListOptions } from './list-models.ts';
import type { ModelEntry } from './model-entry.ts';
import { joinModels } from '../build/build-catalogue.ts';
import { extendCatalogue } from '../build/extend-catalogue.ts';
import { listModels } from './list-models.ts';
import { renderModels } from './list-models-text.ts';
import { loadCatalogue } from '../build/load-catalogue.ts';
import { measureProcessorMs } from '../../../test/support/processor-time.ts';
import { modelEntrySchema } from './model-entry.ts';

const NOW = Date.parse('2026-11-21');
const ALL: ListOptions = {
  includeDeactivated: false,
  excludeDeprecated: false,
  noTraining: false,
  mapped: false,
  now: NOW,
};
const catalogue = await loadCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)));

function get(entries: readonly ModelEntry[], id: string): ModelEntry {
  const entry = entries.find((candidate) => candidate.id === id);
  assert.ok(entry, id);
  return entry;
}

/** The catalogue with the mappings of one model changed. */
function withMappings(id: string, change: (mapping: Mapping) => Mapping): Catalogue {
  const model = catalogue.models.get(id);
  assert.ok(model);
  return {
    ...catalogue,
    models: new Map(catalogue.models).set(id, { ...model, mappings: model.mappings.map(change) }),
  };
}

test('every entry of every listing has every field of the contract with its type', () => {
  const validator = Compile(modelEntrySchema);
  const own = extendCatalogue(catalogue, [
    { id: 'acme', format: 'chat', baseUrl: 'http://a', models: [{ id: 'bare' }] },
  ]);
  for (const mapped of [false, true]) {
    for (const entry of listModels(own, { ...ALL, mapped, includeDeactivated: true })) {
      assert.ok(validator.Check(entry), `${entry.id}: ${JSON.stringify(validator.Errors(entry)[0])}`);
    }
  }
});

test('prices are plain decimals per token, never exponents', () => {
  for (const { pricing, id } of listModels(catalogue, { ...ALL, mapped: true })) {
    for (const amount of Object.values(pricing)) {
      if (typeof amount === 'string') assert.match(amount, /^\d+(\.\d+)?$/, id);
    }
  }
  const opus = get(listModels(catalogue, ALL), 'claude-opus-4-8').pricing;
  assert.equal(opus.prompt, '0.000005');
  assert.equal(opus.completion, '0.000025');
  assert.equal(opus.input_cache_read, '0.0000005');
  assert.equal(opus.input_cache_write, '0.00000625');
  assert.equal(opus.input_cache_write_1h, '0.00001');
  assert.equal(opus.web_search, '0.01');
  assert.equal(opus.internal_reasoning, '0.000025');
});

test('speech by the character has its price, and only models that write have one for searches', () => {
  const entries = listModels(catalogue, ALL);
  const { pricing, providers } = get(entries, 'tts-1');
  assert.deepEqual(
    [pricing.input_character, providers[0]?.pricing.input_character, pricing.web_search],
    ['0.000015', '0.000015', '0'],
  );
  assert.equal(get(entries, 'text-embedding-3-small').pricing.web_search, '0');
  assert.equal(get(entries, 'gpt-4o').pricing.input_character, '0');
});

test('an aggregated entry shows the cheapest price, the largest window and the smallest answer', () => {
  const model = catalogue.models.get('kimi-k2.5');
  assert.ok(model);
  const entry = get(listModels(catalogue, ALL), 'kimi-k2.5');
  const sums = model.mappings.map(({ price }) =>
    price ? price.parts.inputUncached + price.parts.outputText : 0n,
  );
  const cheapest = model.mappings[sums.indexOf(sums.reduce((a, b) => (b < a ? b : a)))];
  assert.equal(cheapest?.providerId, 'deepinfra');
  assert.equal(entry.pricing.prompt, '0.00000045');
  assert.equal(
    entry.context_length,
    Math.max(...model.mappings.map(({ contextLength }) => contextLength ?? 0)),
  );
  assert.equal(entry.max_output, Math.min(...model.mappings.map(({ maxOutput }) => maxOutput ?? Infinity)));
  assert.deepEqual(
    entry.providers.map(({ providerId }) => providerId),
    model.mappings.map(({ providerId }) => providerId),
  );
});

test('a deactivated mapping neither shows nor sets the price, unless asked for', () => {
  const changed = withMappings('kimi-k2.5', (mapping) =>
    mapping.providerId === 'deepinfra' ? { ...mapping, deactivatedAt: NOW } : mapping,
  );
  const hidden = get(listModels(changed, ALL), 'kimi-k2.5');
  assert.ok(hidden.providers.every(({ providerId }) => providerId !== 'deepinfra'));
  const shown = get(listModels(changed, { ...ALL, includeDeactivated: true }), 'kimi-k2.5');
  assert.ok(shown.providers.some(({ providerId }) => providerId === 'deepinfra'));
  for (const entry of [hidden, shown]) assert.equal(entry.pricing.prompt, '0.0000005');
});

test('a date of deprecation or deactivation is shown only when every mapping has one, and then the latest', () => {
  const days = [Date.parse('2026-12-01'), Date.parse('2027-02-03')];
  let index = 0;
  const every = withMappings('glm-5.1', (mapping) => ({
    ...mapping,
    deprecatedAt: days[index++ % 2] ?? 0,
    deactivatedAt: days[1] ?? 0,
  }));
  const entry = get(listModels(every, ALL), 'glm-5.1');
  assert.equal(entry.deprecated_at, '2027-02-03T00:00:00.000Z');
  assert.equal(entry.deactivated_at, '2027-02-03T00:00:00.000Z');
  const some = withMappings('glm-5.1', (mapping) =>
    mapping.providerId === 'zai' ? mapping : { ...mapping, deprecatedAt: days[0] ?? 0 },
  );
  assert.equal('deprecated_at' in get(listModels(some, ALL), 'glm-5.1'), false);
});

test('a lifecycle is that of the mapping that lasts longest, and follows the clock', () => {
  const later = NOW + 86_400_000;
  const at = (now: number, change: (mapping: Mapping) => Partial<Mapping>): ModelEntry => {
    const changed = withMappings('glm-5.1', (mapping) => ({ ...mapping, ...change(mapping) }));
    const text = renderModels([changed], { ...ALL, includeDeactivated: true, now });
    return get((JSON.parse(text) as { data: ModelEntry[] }).data, 'glm-5.1');
  };
  assert.deepEqual([at(NOW, () => ({})).lifecycle, at(NOW, () => ({})).retires_at], ['active', null]);
  const ending = at(NOW, () => ({ deactivatedAt: later }));
  assert.deepEqual([ending.lifecycle, ending.retires_at], ['deprecated', '2026-11-22T00:00:00.000Z']);
  assert.equal(at(later, () => ({ deactivatedAt: later })).lifecycle, 'retired');
  const some = at(NOW, ({ providerId }) => (providerId === 'zai' ? {} : { deactivatedAt: later }));
  assert.equal(some.lifecycle, 'active');
  const changed = withMappings('glm-5.1', (mapping) => ({ ...mapping, deprecatedAt: later }));
  const stages = [NOW, later].map((now) => {
    const { data } = JSON.parse(renderModels([changed], { ...ALL, now })) as { data: ModelEntry[] };
    return get(data, 'glm-5.1').lifecycle;
  });
  assert.deepEqual(stages, ['active', 'deprecated']);
});

test('deactivated models are listed on request only', () => {
  assert.ok(!listModels(catalogue, ALL).some(({ id }) => id === 'claude-3-opus'));
  const entry = get(listModels(catalogue, { ...ALL, includeDeactivated: true }), 'claude-3-opus');
  assert.equal(entry.deactivated_at, '2026-01-05T00:00:00.000Z');
  assert.equal(entry.deprecated_at, '2025-06-30T00:00:00.000Z');
  assert.ok(
    listModels(catalogue, { ...ALL, now: Date.parse('2025-12-31') }).some(({ id }) => id === 'claude-3-opus'),
  );
});

test('exclude_deprecated omits deprecated mappings, and models without others', () => {
  const entries = listModels(catalogue, { ...ALL, excludeDeprecated: true });
  assert.ok(entries.every(({ providers }) => providers.every(({ stability }) => stability !== 'deprecated')));
  assert.ok(!entries.some(({ id }) => id === 'gemini-2.0-flash'));
  const kimi = get(entries, 'kimi-k2.5').providers.map(({ providerId }) => providerId);
  assert.ok(kimi.includes('deepinfra') && !kimi.includes('nebius'));
  const dated = withMappings('glm-5-turbo', (mapping) => ({ ...mapping, deprecatedAt: NOW }));
  assert.ok(!listModels(dated, { ...ALL, excludeDeprecated: true }).some(({ id }) => id === 'glm-5-turbo'));
});

test('no_training keeps only providers known not to train: an unknown policy counts as one that may', () => {
  const entries = listModels(catalogue, { ...ALL, noTraining: true });
  const providers = new Set(entries.flatMap((entry) => entry.providers.map(({ providerId }) => providerId)));
  assert.ok(providers.has('openai') && providers.has('anthropic') && providers.has('local'));
  for (const id of providers) assert.equal(catalogue.providers.get(id)?.trainsOnData, false, id);
  assert.ok(!providers.has('deepseek') && !providers.has('google'));
});

test('mapped gives one entry per mapping with its own price, window and abilities', () => {
  const entries = listModels(catalogue, { ...ALL, mapped: true });
  const active = [...catalogue.models.values()].flatMap(({ mappings }) =>
    mappings.filter(({ deactivatedAt }) => deactivatedAt === undefined || deactivatedAt > NOW),
  );
  assert.equal(entries.length, active.length);
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  const europe = get(entries, 'amazon-bedrock/eu.anthropic.claude-opus-4-8');
  assert.equal(europe.pricing.prompt, '0.0000055');
  const together = get(entries, 'togetherai/kimi-k2.6');
  assert.equal(together.pricing.prompt, '0.0000012');
  assert.equal(together.max_output, 131_000);
  assert.deepEqual(
    together.providers.map(({ externalId }) => externalId),
    ['moonshotai/Kimi-K2.6'],
  );
  assert.equal(get(entries, 'togetherai/kimi-k2.7-code').providers[0]?.vision, false);
  assert.equal(get(entries, 'moonshotai/kimi-k2.7-code').providers[0]?.vision, true);
});

test('what a caller may not use is not listed', () => {
  const entries = listModels(catalogue, { ...ALL, allows: ({ providerId }) => providerId === 'groq' });
  assert.ok(
    entries.length > 3 &&
      entries.every(({ providers }) => providers.length === 1 && providers[0]?.providerId === 'groq'),
  );
  assert.deepEqual(listModels(catalogue, { ...ALL, allows: () => false }), []);
});

test('the parameters of an entry are those its upstream obeys', () => {
  const entries = listModels(catalogue, { ...ALL, mapped: true });
  const gpt = get(entries, 'openai/gpt-5.4').supported_parameters;
  assert.ok(
    gpt.includes('tools') &&
      gpt.includes('reasoning_effort') &&
      !gpt.includes('temperature') &&
      !gpt.includes('stop'),
  );
  const llama = get(entries, 'groq/llama-3.3-70b-instruct').supported_parameters;
  assert.ok(llama.includes('temperature') && llama.includes('stop') && !llama.includes('reasoning_effort'));
  assert.ok(get(entries, 'anthropic/claude-haiku-4-5').supported_parameters.includes('cache_control'));
});

test('a model is free if every provider serves it free', () => {
  const entries = listModels(catalogue, ALL);
  assert.equal(get(entries, 'echo').free, true);
  assert.equal(get(entries, 'gpt-oss-120b').free, false);
  const own = extendCatalogue(catalogue, [
    { id: 'acme', format: 'chat', baseUrl: 'http://a', models: [{ id: 'bare' }] },
  ]);
  assert.equal(get(listModels(own, ALL), 'bare').free, false);
});

test('the same catalogue and options give the same entries', () => {
  assert.deepEqual(listModels(catalogue, ALL), listModels(catalogue, ALL));
});

test('as text: the same entries, whichever mappings are shown and whatever was shown before', () => {
  const flags = [false, true];
  const days = [NOW, Date.parse('2025-12-31')];
  const views = flags.flatMap((mapped) =>
    flags.flatMap((includeDeactivated) => days.map((now) => ({ ...ALL, mapped, includeDeactivated, now }))),
  );
  const narrow = views.flatMap((view) =>
    ['groq', 'openai', 'anthropic'].map((id) => ({
      ...view,
      allows: ({ providerId }: Mapping) => providerId !== id,
    })),
  );
  for (const options of [...views, ...narrow, ...views]) {
    const data = listModels(catalogue, options);
    const edges = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    assert.equal(
      renderModels([catalogue], options),
      JSON.stringify({ object: 'list', data, has_more: false, ...edges }),
    );
  }
  assert.equal(
    renderModels([catalogue], { ...ALL, allows: () => false }),
    '{"object":"list","data":[],"has_more":false,"first_id":null,"last_id":null}',
  );
});

test('a thousand models are listed within 100 ms of processor time', async () => {
  const models: Model[] = [];
  for (let copy = 0; models.length < 1000; copy += 1) {
    for (const model of catalogue.models.values())
      models.push({ ...model, id: `${model.id}-${copy}`, aliases: [] });
  }
  const large = joinModels(catalogue.providers, models.slice(0, 1000));
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    times.push(await measureProcessorMs(() => assert.ok(listModels(large, ALL).length > 900)));
  }
  assert.ok(Math.min(...times) < 100, `${Math.min(...times)} ms`);
});
