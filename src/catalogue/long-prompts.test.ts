import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildCatalogue } from './build/build-catalogue.ts';
import { readCatalogueFiles } from './build/read-files.ts';

const dir = fileURLToPath(new URL('../../catalogue', import.meta.url));

test('xAI bills the price of long prompts from 200,000 tokens on, not above them', () => {
  const steps = [...buildCatalogue(readCatalogueFiles(dir)).models.values()]
    .flatMap(({ mappings }) => mappings)
    .filter(({ providerId }) => providerId === 'xai')
    .flatMap(({ price }) => price?.tiers.map(({ aboveInputTokens }) => aboveInputTokens) ?? []);
  assert.deepEqual([...new Set(steps)], [199_999]);
});
