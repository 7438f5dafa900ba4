import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Mapping } from './catalogue.ts';
import { buildCatalogue } from './build/build-catalogue.ts';
import { loadCatalogue, renderSnapshot } from './build/load-catalogue.ts';
import { limitsWith } from './pricing/modifier.ts';
import { readCatalogueFiles } from './build/read-files.ts';
import { supportsOperation } from './operation.ts';
import { isFree } from './price.ts';

const dir = fileURLToPath(new URL('../../catalogue', import.meta.url));
const files = readCatalogueFiles(dir);
const catalogue = buildCatalogue(files);
const mappings = [...catalogue.models.values()].flatMap((model) => model.mappings);
/** Those that generate text: what holds for prompts and answers holds for them alone. */
const generating = mappings.filter((mapping) => supportsOperation(mapping, 'generations'));
const nameOf = ({ providerId, modelId }: Mapping): string => `${providerId}/${modelId}`;

test('the catalogue holds at least 25 providers and 400 mappings', () => {
  assert.ok(catalogue.providers.size >= 25, `${catalogue.providers.size} providers`);
  assert.ok(mappings.length >= 400, `${mappings.length} mappings`);
});

test('the models of every great vendor are served by the vendor or its usual hosts', () => {
  const served: Record<string, string[]> = {
    openai: ['gpt-5.5', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-4.1', 'gpt-4o', 'o3', 'gpt-5-mini'],
    anthropic: [
      'claude-fable-5',
      'claude-opus-4-8',
      'claude-sonnet-5',
      'claude-sonnet-4-6',
      'claude-haiku-4-5',
    ],
    google: ['gemini-3.5-flash', 'gemini-3.1-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
    mistral: ['mistral-large-2512', 'mistral-medium-2604', 'mistral-small-2603', 'codestral'],
    deepseek: ['deepseek-v4-pro', 'deepseek-v4-flash'],
    xai: ['grok-4.3', 'grok-build-0.1'],
    alibaba: ['qwen3.7-max', 'qwen3.7-plus', 'qwen3-coder-plus'],
    moonshotai: ['kimi-k2.7-code', 'kimi-k2.6'],
    zai: ['glm-5.2', 'glm-5.1', 'glm-4.7'],
    minimax: ['MiniMax-M3', 'MiniMax-M2.7'],
    groq: ['llama-3.3-70b-instruct', 'gpt-oss-120b'],
    cerebras: ['gpt-oss-120b'],
    local: ['echo'],
  };
  for (const [provider, models] of Object.entries(served)) {
    for (const name of models) {
      const model = catalogue.models.get(name.toLowerCase());
      assert.ok(
        model?.mappings.some(({ providerId }) => providerId === provider),
        `${provider}/${name}`,
      );
    }
  }
});

test('a model has one mapping per provider and region, and an external id belongs to one mapping', () => {
  const seen = new Set<string>();
  for (const mapping of mappings) {
    const { region = 'everywhere' } = mapping;
    for (const key of [
      `${nameOf(mapping)} ${region}`,
      `${mapping.providerId} ${mapping.externalId.toLowerCase()}`,
    ]) {
      assert.ok(!seen.has(key), key);
      seen.add(key);
    }
  }
});

test('open models offered by many hosts are one model', () => {
  for (const [id, least] of Object.entries({
    'gpt-oss-120b': 10,
    'kimi-k2.6': 8,
    'glm-5.2': 9,
    'deepseek-v4-pro': 8,
  })) {
    assert.ok((catalogue.models.get(id)?.mappings.length ?? 0) >= least, id);
  }
});

test('every mapping has a price between nothing and 600 USD per million tokens, and reading a cache is never more expensive', () => {
  for (const mapping of generating) {
    const { price } = mapping;
    assert.ok(price, nameOf(mapping));
    for (const { parts } of [price, ...price.tiers]) {
      const { webSearches, ...tokens } = parts;
      for (const amount of Object.values(tokens))
        assert.ok(amount >= 0n && amount <= 600_000_000n, nameOf(mapping));
      assert.ok(webSearches <= 50_000_000_000n, nameOf(mapping));
      assert.ok(parts.inputCacheRead <= parts.inputUncached, nameOf(mapping));
      assert.ok(
        parts.outputText * 2n >= parts.inputUncached,
        `${nameOf(mapping)}: input and output swapped?`,
      );
    }
    for (const tier of price.tiers) {
      assert.ok(tier.parts.inputUncached >= price.parts.inputUncached, nameOf(mapping));
      const { contextLength = 0 } = limitsWith(mapping, Object.keys(mapping.modifiers?.beta?.values ?? {}));
      assert.ok(tier.aboveInputTokens < contextLength, nameOf(mapping));
    }
  }
});

test('a one-hour cache write of a Claude model costs twice, a five-minute write 1.25 times its input', () => {
  const cached = mappings.filter(
    ({ providerId, modelId }) =>
      providerId === 'anthropic' && !['claude-3-haiku', 'claude-3-sonnet'].includes(modelId),
  );
  assert.ok(cached.length >= 12);
  for (const { price, modelId } of cached) {
    assert.ok(price, modelId);
    const { inputUncached, inputCacheWrite5m, inputCacheWrite1h } = price.parts;
    assert.equal(inputCacheWrite1h, inputUncached * 2n, modelId);
    assert.equal(inputCacheWrite5m * 4n, inputUncached * 5n, modelId);
  }
});

test('Claude caches prompts from 4,096 tokens since the 4.5 generation, from 512 since Opus 5', () => {
  const since = (pattern: RegExp) => mappings.filter(({ modelId }) => pattern.test(modelId));
  const latest = since(/^claude-(opus-5|[a-z]+-5-\d)$/);
  const before = since(/^claude-.*(4-[5-9]|(fable|sonnet)-5)$/);
  assert.ok(latest.length >= 6 && before.length >= 9, `${latest.length} ${before.length}`);
  for (const mapping of latest) assert.equal(mapping.minCacheableTokens, 512, nameOf(mapping));
  for (const mapping of before) assert.equal(mapping.minCacheableTokens, 4096, nameOf(mapping));
  assert.equal(catalogue.models.get('claude-opus-4-1')?.mappings[0]?.minCacheableTokens, 1024);
});

test('limits are plausible: the output fits the window', () => {
  for (const mapping of generating) {
    assert.ok(mapping.contextLength === undefined || mapping.contextLength >= 4096, nameOf(mapping));
    assert.ok((mapping.maxOutput ?? 1) <= (mapping.contextLength ?? Infinity), nameOf(mapping));
  }
});

test('dates are in order and a model that ends names a successor that does not', () => {
  const now = Date.parse('2026-11-26');
  for (const model of catalogue.models.values()) {
    assert.ok(model.createdAt > Date.parse('2022-01-01') && model.createdAt < now, model.id);
    for (const { deprecatedAt, deactivatedAt } of model.mappings) {
      if (deactivatedAt === undefined) continue;
      assert.ok((deprecatedAt ?? model.createdAt) < deactivatedAt, model.id);
    }
    if (!model.mappings.some(({ deactivatedAt }) => deactivatedAt !== undefined)) continue;
    const successor = catalogue.models.get(model.successor ?? '');
    assert.ok(
      successor?.mappings.some(({ deactivatedAt }) => deactivatedAt === undefined),
      model.id,
    );
  }
});

test('documents and audio reach the models that read them', () => {
  for (const model of files.models) {
    for (const { provider, capabilities } of model.mappings) {
      const mapping = catalogue.models
        .get(model.id)
        ?.mappings.find(({ providerId }) => providerId === provider);
      assert.equal(
        mapping?.dialect.media.document,
        capabilities.includes('documents'),
        `${provider}/${model.id}`,
      );
      assert.equal(mapping.dialect.media.audio, capabilities.includes('audio'), `${provider}/${model.id}`);
    }
  }
});

test('what a mapping can do agrees with its dialect', () => {
  for (const { dialect, ...mapping } of mappings) {
    const name = nameOf({ dialect, ...mapping });
    assert.equal(dialect.media.image, mapping.vision, name);
    if (!mapping.reasoning) assert.equal(dialect.reasoningField, 'none', name);
    if (dialect.reasoningField === 'reasoning_effort') assert.ok(dialect.efforts.length > 0, name);
    assert.notDeepEqual(mapping.efforts, ['none'], `${name}: requested thinking would be turned off`);
    if (dialect.reasoningField === 'thinking') assert.ok(dialect.thinkingModes.length > 0, name);
  }
});

test('the quirks that upstreams insist on are in the data', () => {
  const dialectOf = (id: string, providerId: string) =>
    catalogue.models.get(id)?.mappings.find((mapping) => mapping.providerId === providerId)?.dialect;
  assert.equal(dialectOf('gpt-5.4', 'openai')?.maxTokensField, 'max_completion_tokens');
  assert.equal(dialectOf('gpt-5.4', 'openai')?.systemRole, 'developer');
  assert.equal(dialectOf('gpt-5.4', 'openai')?.sampling, 'none');
  assert.equal(dialectOf('gpt-5.4', 'openai')?.effortWithTools, false);
  assert.equal(dialectOf('gpt-4o', 'openai')?.sampling, 'full');
  assert.deepEqual(dialectOf('claude-opus-4-8', 'anthropic')?.thinkingModes, ['adaptive', 'disabled']);
  assert.equal(dialectOf('claude-opus-4-8', 'anthropic')?.sampling, 'none');
  assert.equal(dialectOf('claude-opus-4-8', 'anthropic')?.prefill, false);
  assert.deepEqual(dialectOf('claude-sonnet-4-5', 'anthropic')?.thinkingModes, ['budget', 'disabled']);
  assert.equal(dialectOf('claude-sonnet-4-5', 'anthropic')?.prefill, true);
  assert.equal(dialectOf('mistral-large-2512', 'mistral')?.toolCallId.exactLength, 9);
  assert.equal(dialectOf('deepseek-v4-pro', 'deepseek')?.reasoningReplay, 'reasoning_content');
  assert.equal(dialectOf('gpt-oss-120b', 'groq')?.reasoningReplay, 'reasoning');
  assert.equal(dialectOf('grok-4.3', 'xai')?.completionExcludesReasoning, true);
  assert.equal(dialectOf('qwen3.7-plus', 'alibaba')?.cacheMarks, 'cache_control');
});

test('a model served only in another format declares it, and has the dialect of that format', () => {
  const find = (id: string, providerId: string) =>
    catalogue.models.get(id)?.mappings.find((mapping) => mapping.providerId === providerId);
  for (const id of ['gpt-5-pro', 'gpt-5.3-codex', 'o3-pro']) {
    const mapping = find(id, 'openai');
    assert.equal(mapping?.format, 'responses', id);
    assert.equal(mapping.dialect.issuer, 'openai', id);
    assert.equal(mapping.dialect.reasoningField, 'reasoning.effort', id);
    assert.equal(mapping.dialect.sampling, 'none', id);
  }
  assert.equal(find('gpt-4o', 'openai')?.format, 'chat');
  assert.equal(find('grok-4.20-multi-agent', 'xai')?.format, 'responses');
  assert.equal(find('grok-4.20-multi-agent', 'xai')?.dialect.issuer, 'xai');
  assert.equal(find('claude-opus-4-8', 'anthropic')?.format, 'messages');
});

test('Claude speaks Messages on every cloud, with the beta values that cloud accepts', () => {
  for (const providerId of ['amazon-bedrock', 'google-vertex']) {
    const claudes = mappings.filter(
      (mapping) => mapping.providerId === providerId && /^claude/.test(mapping.modelId),
    );
    assert.ok(claudes.length >= 7, providerId);
    for (const mapping of claudes) {
      assert.equal(mapping.format, 'messages', nameOf(mapping));
      assert.equal(mapping.dialect.betas, 'listed', nameOf(mapping));
      assert.ok(mapping.dialect.allowedBetas.includes('tool-search-tool-2025-10-19'), nameOf(mapping));
      const own = mappings.find(
        ({ providerId: id, modelId }) => id === 'anthropic' && modelId === mapping.modelId,
      );
      assert.deepEqual(mapping.dialect.thinkingModes, own?.dialect.thinkingModes, nameOf(mapping));
      assert.equal(mapping.dialect.issuer, own?.dialect.issuer, nameOf(mapping));
    }
  }
  const nova = catalogue.models.get('nova-pro')?.mappings[0];
  assert.deepEqual([nova?.format, nova?.dialect.cacheMarks], ['converse', 'cachePoint']);
});

test('the built-in echo model is free, needs no credential and describes itself', () => {
  const local = catalogue.providers.get('local');
  assert.deepEqual(local?.env, []);
  assert.equal(local.baseUrl, undefined);
  const echo = catalogue.models.get('echo');
  assert.ok(echo?.free && echo.mappings.every(({ price }) => price && isFree(price)));
  assert.match(echo.description, /not a language model/i);
});

test('a provider with an address has a variable for its credential', () => {
  for (const provider of catalogue.providers.values()) {
    assert.equal(provider.baseUrl === undefined, provider.env.length === 0, provider.id);
  }
});

test('the snapshot equals the files (`npm run generate` renews it)', async () => {
  assert.equal(await readFile(join(dir, 'snapshot.json'), 'utf8'), renderSnapshot(dir));
  assert.deepEqual(await loadCatalogue(dir), catalogue);
});

const PROVIDER = 'id: acme\nname: Acme\nformat: chat\nbaseUrl: https://acme.example/v1\nenv: [ACME_KEY]\n';
const MODEL = `id: m
name: M
family: f
description: A model.
created: "2026-01-01"
input: [text]
output: [text]
tokenizer: Other
mappings:
  - provider: acme
    externalId: m-1
    capabilities: [tools]
    price: { input: "1", output: "2" }
`;

async function loadWritten(provider: string, model: string): Promise<unknown> {
  const written = await mkdtemp(join(tmpdir(), 'catalogue-'));
  try {
    await mkdir(join(written, 'providers'));
    await mkdir(join(written, 'models', 'f'), { recursive: true });
    await writeFile(join(written, 'providers', 'acme.yaml'), provider);
    await writeFile(join(written, 'models', 'f', 'm.yaml'), model);
    return await loadCatalogue(written);
  } finally {
    await rm(written, { recursive: true });
  }
}

test('a wrong data file is named together with its field', async () => {
  await assert.doesNotReject(loadWritten(PROVIDER, MODEL));
  const wrong: [string, string, RegExp][] = [
    [PROVIDER.replace('chat', 'soap'), MODEL, /acme\.yaml: format must be one of chat, messages/],
    [PROVIDER.replace('https:', 'http:'), MODEL, /acme\.yaml: baseUrl must match/],
    [PROVIDER, MODEL.replace('"1"', '1'), /m\.yaml: mappings\[0\]\.price\.input must/],
    [PROVIDER, MODEL.replace('"1"', '"-1"'), /m\.yaml: mappings\[0\]\.price\.input must/],
    [PROVIDER, MODEL.replace('"1"', '"1e3"'), /m\.yaml: mappings\[0\]\.price\.input must/],
    [PROVIDER, MODEL.replace('id: m\n', 'id: n\n'), /m\.yaml: id is n/],
    [
      PROVIDER,
      MODEL.replace('externalId: m-1', 'externalId: m-1\n    format: soap'),
      /mappings\[0\]\.format must be one of/,
    ],
    [PROVIDER, MODEL.replace('provider: acme', 'provider: absent'), /model m: provider absent/],
    [
      PROVIDER,
      MODEL.replace('[tools]', '[telepathy]'),
      /m\.yaml: mappings\[0\]\.capabilities\[0\] must be one of tools/,
    ],
    [PROVIDER, `${MODEL}colour: blue\n`, /m\.yaml: colour is not known/],
    [PROVIDER, MODEL.replace('tokenizer', 'aliases: [m]\ntokenizer'), /model m: the name m belongs to m/],
    [PROVIDER, MODEL.replace('family: f', 'family: g'), /m\.yaml: family is g, but its folder is f/],
    [PROVIDER, 'id: [', /m\.yaml: /],
  ];
  for (const [provider, model, message] of wrong) {
    await assert.rejects(loadWritten(provider, model), { name: 'CatalogueError', message });
  }
});
