import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Mapping } from './catalogue.ts';
import { loadCatalogue } from './build/load-catalogue.ts';
import { supportsOperation } from './operation.ts';
import { NO_UNITS } from './unit-price.ts';
import { FLAT_PRICE_NAMES, KIND_PRICE_NAMES } from './schema/unit.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url)));
const mappings = [...catalogue.models.values()].flatMap((model) => model.mappings);
const nameOf = ({ providerId, modelId }: Mapping): string => `${providerId}/${modelId}`;

test('what is no text generation has a price in its own unit, or is free', () => {
  const others = mappings.filter((mapping) => !supportsOperation(mapping, 'generations'));
  assert.ok(others.length >= 30, `${others.length} mappings`);
  for (const mapping of others) {
    const { price } = mapping;
    assert.ok(price, nameOf(mapping));
    const { units = NO_UNITS } = price;
    const byKind = KIND_PRICE_NAMES.flatMap((name) => Object.values(units[name]));
    for (const amount of [...byKind, ...FLAT_PRICE_NAMES.map((name) => units[name])])
      assert.ok(amount <= 1_000_000_000_000n, nameOf(mapping));
    assert.ok(units.perCharacter <= 100_000_000n, nameOf(mapping));
    for (const amount of Object.values(price.parts)) assert.ok(amount <= 150_000_000n, nameOf(mapping));
  }
  for (const [id, operation] of [
    ['text-embedding-3-small', 'embeddings'],
    ['omni-moderation-latest', 'moderations'],
    ['rerank-v3.5', 'rerank'],
    ['gpt-image-1.5', 'images'],
    ['tts-1', 'speech'],
    ['whisper-1', 'transcriptions'],
  ] as const) {
    const model = catalogue.models.get(catalogue.names.get(id) ?? '');
    assert.ok(model && model.mappings.every((mapping) => supportsOperation(mapping, operation)), id);
  }
});

test('a model of OpenAI that sees images reads PDF files', () => {
  const seeing = mappings.filter(({ providerId, vision }) => providerId === 'openai' && vision);
  const blind = seeing.filter(({ dialect }) => !dialect.media.document);
  assert.deepEqual(
    blind.map(({ modelId }) => modelId),
    ['gpt-4-turbo'],
    'those before GPT-4o',
  );
});
