import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildCatalogue } from './build/build-catalogue.ts';
import { readCatalogueFiles } from './build/read-files.ts';

const dir = fileURLToPath(new URL('../../catalogue', import.meta.url));

test('models of OpenAI that charge for cache writes, all since GPT-5.6, take cache marks', () => {
  const own = [...buildCatalogue(readCatalogueFiles(dir)).models.values()]
    .flatMap(({ mappings }) => mappings)
    .filter(({ providerId }) => providerId === 'openai');
  const charging = own.filter(
    ({ price }) => price && price.parts.inputCacheWrite5m > price.parts.inputUncached,
  );
  const marked = own.filter(({ dialect }) => dialect.cacheMarks === 'prompt_cache_breakpoint');
  const names = marked.map(({ modelId }) => modelId);
  assert.ok(names.includes('gpt-5.6-sol') && names.includes('gpt-6.2-sol'));
  assert.deepEqual(
    names,
    charging.map(({ modelId }) => modelId),
  );
});
