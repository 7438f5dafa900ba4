import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildCatalogue } from './build/build-catalogue.ts';
import { readCatalogueFiles } from './build/read-files.ts';

test('only Claude shares the issuer of Anthropic’s signatures: other providers of the format set their own', () => {
  const files = readCatalogueFiles(fileURLToPath(new URL('../../catalogue', import.meta.url)));
  const mappings = [...buildCatalogue(files).models.values()].flatMap((model) => model.mappings);
  const sharing = mappings.filter(
    ({ format, dialect }) => format === 'messages' && dialect.issuer === 'anthropic',
  );
  const names = sharing.map(({ providerId, modelId }) => `${providerId}/${modelId}`);
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => !name.includes('/claude')),
    [],
  );
});
