import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FORMATS } from '#canonical';
import type { Catalogue, Mapping } from '../catalogue.ts';
import { extendCatalogue } from './extend-catalogue.ts';
import { loadCatalogue } from './load-catalogue.ts';
import { resolveModel } from '../names/resolve-model.ts';

const NOW = Date.parse('2026-11-21');
const base = await loadCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)));

function findMapping(catalogue: Catalogue, name: string): Mapping {
  const resolution = resolveModel(catalogue, name, NOW);
  assert.equal(resolution.kind, 'found', name);
  assert.equal(resolution.mappings.length, 1, name);
  const [mapping] = resolution.mappings;
  assert.ok(mapping);
  return mapping;
}

const ACME = {
  id: 'acme',
  format: 'chat' as const,
  baseUrl: 'http://127.0.0.1:9001/v1',
  models: [
    {
      id: 'acme-large',
      contextLength: 200_000,
      maxOutput: 32_000,
      price: { input: '3', output: '15', cacheRead: '0.3', cacheWrite5m: '3.75', cacheWrite1h: '6' },
    },
  ],
};

test("an operator's own model is reachable by its name and by provider/name, at its price", () => {
  const extended = extendCatalogue(base, [ACME]);
  for (const name of ['acme-large', 'acme/acme-large']) {
    const mapping = findMapping(extended, name);
    assert.equal(mapping.externalId, 'acme-large');
    assert.equal(mapping.contextLength, 200_000);
    assert.equal(mapping.maxOutput, 32_000);
    assert.equal(mapping.price?.parts.inputCacheWrite1h, 6_000_000n);
  }
  assert.equal(extended.providers.get('acme')?.baseUrl, 'http://127.0.0.1:9001/v1');
  assert.equal(extended.providers.get('acme')?.auth, 'bearer');
});

test('aliases of the operator name a model at all of its providers, at its own price, and no other model', () => {
  const aliases = ['fast', 'team/default'];
  const openai = { id: 'openai', models: [{ id: 'gpt-4o', aliases }] };
  const again = {
    ...ACME,
    models: [{ id: 'gpt-4o', aliases: ['fast'], price: { input: '1', output: '1' } }],
  };
  const extended = extendCatalogue(base, [openai, again]);
  for (const name of aliases) assert.equal(extended.names.get(name), 'gpt-4o');
  assert.deepEqual(extended.models.get('gpt-4o')?.aliases, [
    ...(base.models.get('gpt-4o')?.aliases ?? []),
    ...aliases,
  ]);
  assert.deepEqual(findMapping(extended, 'openai/FAST').price, findMapping(base, 'openai/gpt-4o').price);
  assert.equal(findMapping(extended, 'acme/fast').providerId, 'acme');
  assert.throws(
    () => extendCatalogue(base, [{ id: 'openai', models: [{ id: 'gpt-4o', aliases: ['gpt-5'] }] }]),
    /"gpt-5" cannot be an alias of gpt-4o: it is a name of gpt-5$/,
  );
});

test('a catalogue is never changed by extending it', () => {
  const before = base.models.size;
  extendCatalogue(base, [
    ACME,
    { id: 'openai', baseUrl: 'http://127.0.0.1:9000/v1', models: [{ id: 'gpt-4o', maxOutput: 1 }] },
  ]);
  assert.equal(base.models.size, before);
  assert.equal(base.providers.has('acme'), false);
  assert.equal(base.providers.get('openai')?.baseUrl, 'https://api.openai.com/v1');
  assert.equal(findMapping(base, 'openai/gpt-4o').maxOutput, 16_384);
});

test('overriding the address of a catalogue provider keeps all else', () => {
  const extended = extendCatalogue(base, [{ id: 'openai', baseUrl: 'http://127.0.0.1:9000/v1' }]);
  const { baseUrl, ...rest } = extended.providers.get('openai') ?? {};
  const { baseUrl: known, ...knownRest } = base.providers.get('openai') ?? {};
  assert.notEqual(baseUrl, known);
  assert.deepEqual(rest, knownRest);
  assert.deepEqual(findMapping(extended, 'openai/gpt-5.4'), findMapping(base, 'openai/gpt-5.4'));
});

test('a model keeps the format it is served in; a provider configured with another uses it for all of them', () => {
  const moved = extendCatalogue(base, [
    { id: 'openai', baseUrl: 'http://127.0.0.1:9000/v1', models: [{ id: 'gpt-5-pro', maxOutput: 9 }] },
  ]);
  assert.equal(findMapping(moved, 'openai/gpt-5-pro').format, 'responses');
  assert.equal(findMapping(moved, 'openai/gpt-4o').format, 'chat');
  const reported = extendCatalogue(base, [{ id: 'openai', format: 'responses' }]);
  const mapping = findMapping(reported, 'openai/gpt-4o');
  assert.equal(mapping.format, 'responses');
  assert.equal(mapping.dialect.issuer, 'openai');
  const own = extendCatalogue(base, [{ ...ACME, models: [{ id: 'gpt-5-pro' }] }]);
  assert.equal(findMapping(own, 'acme/gpt-5-pro').format, 'chat', 'another provider speaks its own format');
});

test('a price given for a catalogue model replaces its price and nothing else', () => {
  const extended = extendCatalogue(base, [
    { id: 'openai', models: [{ id: 'gpt-5.4', price: { input: '1', output: '2' } }] },
  ]);
  const { price, ...rest } = findMapping(extended, 'openai/gpt-5.4');
  const { price: known, ...knownRest } = findMapping(base, 'openai/gpt-5.4');
  assert.equal(price?.parts.outputText, 2_000_000n);
  assert.notEqual(price.version, known?.version);
  assert.deepEqual(rest, knownRest);
});

test('a catalogue model served by an own provider joins its mappings, without borrowing a price', () => {
  const extended = extendCatalogue(base, [
    {
      id: 'mine',
      format: 'messages',
      baseUrl: 'http://127.0.0.1:9002/v1',
      models: [{ id: 'claude-opus-4-8', externalId: 'opus' }],
    },
  ]);
  const mapping = findMapping(extended, 'mine/claude-opus-4-8');
  assert.equal(mapping.externalId, 'opus');
  assert.equal(mapping.price, undefined);
  assert.equal(mapping.maxOutput, 128_000);
  assert.deepEqual(mapping.dialect.thinkingModes, ['adaptive', 'disabled']);
  const routed = resolveModel(extended, 'claude-opus-4-8', NOW);
  assert.deepEqual(routed.kind === 'found' && routed.mappings.map(({ providerId }) => providerId), [
    'anthropic',
    'amazon-bedrock',
    'google-vertex',
    'azure-anthropic',
    'mine',
  ]);
});

test('a cloud’s model keeps its format and dialect; one that is added there uses the cloud’s', () => {
  const extended = extendCatalogue(base, [
    {
      id: 'amazon-bedrock',
      models: [
        { id: 'claude-opus-4-8', externalId: 'eu.anthropic.claude-opus-4-8' },
        { id: 'claude-next', externalId: 'eu.anthropic.claude-next', format: 'messages' },
        { id: 'nova-next', externalId: 'eu.amazon.nova-next' },
      ],
    },
  ]);
  const opus = findMapping(extended, 'amazon-bedrock/claude-opus-4-8');
  assert.equal(opus.externalId, 'eu.anthropic.claude-opus-4-8');
  assert.equal(opus.price?.parts.inputUncached, 5_500_000n);
  assert.equal(opus.region, undefined);
  const regional = findMapping(extended, 'amazon-bedrock/us.anthropic.claude-opus-4-8');
  assert.equal(regional.region, 'us');
  assert.deepEqual(opus.dialect, findMapping(base, 'amazon-bedrock/claude-opus-4-8').dialect);
  const next = findMapping(extended, 'amazon-bedrock/claude-next');
  assert.deepEqual(
    [next.format, next.dialect.betas, next.dialect.issuer],
    ['messages', 'listed', 'anthropic'],
  );
  assert.equal(findMapping(extended, 'amazon-bedrock/nova-next').format, 'converse');
  const west = {
    id: 'west',
    cloud: 'azure' as const,
    format: 'chat' as const,
    baseUrl: 'http://127.0.0.1:1/openai/v1',
  };
  assert.equal(extendCatalogue(base, [west]).providers.get('west')?.auth, 'api-key');
});

test('open weights on an own server do not speak the dialect of another host', () => {
  const extended = extendCatalogue(base, [
    { id: 'rack', format: 'chat', baseUrl: 'http://10.0.0.7:8000/v1', models: [{ id: 'qwen3-32b' }] },
  ]);
  assert.equal(findMapping(base, 'alibaba/qwen3-32b').dialect.reasoningField, 'enable_thinking');
  assert.equal(findMapping(extended, 'rack/qwen3-32b').dialect.reasoningField, 'none');
});

test('dialect changes of a provider reach its models, and those of a model win', () => {
  const extended = extendCatalogue(base, [
    {
      id: 'groq',
      dialect: { parallelToolCalls: false, media: { imageUrl: false } },
      models: [{ id: 'gpt-oss-20b', dialect: { parallelToolCalls: true } }],
    },
  ]);
  assert.equal(findMapping(extended, 'groq/llama-4-scout').dialect.parallelToolCalls, false);
  assert.deepEqual(findMapping(extended, 'groq/llama-4-scout').dialect.media, {
    ...findMapping(base, 'groq/llama-4-scout').dialect.media,
    imageUrl: false,
  });
  assert.equal(findMapping(extended, 'groq/gpt-oss-20b').dialect.parallelToolCalls, true);
  assert.equal(findMapping(extended, 'groq/gpt-oss-20b').dialect.reasoningReplay, 'reasoning');
});

test('a provider configured with another format gets that format and its credential', () => {
  const extended = extendCatalogue(base, [
    { id: 'minimax', format: 'chat', baseUrl: 'https://api.minimax.io/v1' },
  ]);
  assert.equal(extended.providers.get('minimax')?.auth, 'bearer');
  assert.deepEqual(extended.providers.get('minimax')?.env, ['MINIMAX_API_KEY']);
  assert.equal(findMapping(extended, 'minimax/minimax-m3').dialect.cacheMarks, 'none');
});

test('a configured model of Responses with reasoning accepts the usual efforts', () => {
  const extended = extendCatalogue(base, [
    { ...ACME, format: 'responses', models: [{ id: 'thinker', reasoning: true }, { id: 'other' }] },
  ]);
  assert.deepEqual(findMapping(extended, 'thinker').dialect.efforts, ['low', 'medium', 'high']);
  assert.deepEqual(findMapping(extended, 'other').dialect.efforts, []);
});

test('a configured model reads documents where its format has them', () => {
  const readsPdf = (format: Mapping['format']) => {
    const extended = extendCatalogue(base, [{ ...ACME, format }]);
    return findMapping(extended, 'acme-large').dialect.media.document;
  };
  for (const format of FORMATS) assert.equal(readsPdf(format), format !== 'chat', format);
});

test('a configured chat model with reasoning accepts the usual efforts', () => {
  const extended = extendCatalogue(base, [
    { ...ACME, models: [{ id: 'thinker', reasoning: true, vision: false, dialect: { maxTemperature: 1 } }] },
  ]);
  const { dialect, vision } = findMapping(extended, 'thinker');
  assert.equal(dialect.reasoningField, 'reasoning_effort');
  assert.deepEqual(dialect.efforts, ['low', 'medium', 'high']);
  assert.equal(dialect.media.image, false);
  assert.equal(dialect.maxTemperature, 1);
  assert.equal(vision, false);
});

test('an invalid price is refused with the name of the model', () => {
  assert.throws(
    () =>
      extendCatalogue(base, [{ ...ACME, models: [{ id: 'odd', price: { input: 'cheap', output: '1' } }] }]),
    {
      name: 'CatalogueError',
      message: /model odd at acme: price\.input/,
    },
  );
});
