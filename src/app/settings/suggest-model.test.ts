import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extendCatalogue } from '#catalogue';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { getBaseCatalogue } from './base-catalogue.ts';
import { loadSettings } from './load-settings.ts';
import { ECHO_MODEL, suggestModel } from './suggest-model.ts';

async function suggest(models: string): Promise<string> {
  using folder = createTemporaryFolder();
  const provider = `{ id: acme, format: chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: k, models: [${models}] }`;
  folder.write('sluice.yaml', `providers: [${provider}]\n`);
  const settings = await loadSettings({ environment: {}, workingDirectory: folder.path });
  return suggestModel(extendCatalogue(await getBaseCatalogue(), settings.providers), settings, Date.now());
}

test('the model of a first request is one of the file’s own that writes text', async () => {
  const [embed, draw] = ['{ id: embed, operations: [embeddings] }', '{ id: draw, operations: [images] }'];
  assert.equal(await suggest('{ id: large }, { id: small }'), 'acme/large');
  assert.equal(await suggest(`${embed}, ${draw}, { id: large }`), 'acme/large');
  assert.equal(await suggest(`${embed}, ${draw}`), ECHO_MODEL);
});
