import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mapping, loadCatalogue } from '#catalogue';
import { fileURLToPath } from 'node:url';
import { openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { createUsableFilter } from './usable-mappings.ts';

const CATALOGUE = fileURLToPath(new URL('../../catalogue', import.meta.url));
const fresh = shareOpened(() => openFreshAccounts());

test('a mapping is usable with a credential of the gateway or the organization, if rules permit it and it does not fail', async () => {
  const { directory } = fresh.accounts;
  const catalogue = await loadCatalogue(CATALOGUE);
  const { id: organizationId } = await directory.createOrganization('Acme');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'web' });
  await directory.addRule({
    layer: 'organization',
    subjectId: organizationId,
    type: 'deny-providers',
    values: ['cohere'],
  });
  const mappings: Mapping[] = ['anthropic', 'cohere', 'openai', 'mistral'].flatMap(
    (id) =>
      [...catalogue.models.values()]
        .flatMap((model) => model.mappings)
        .find((one) => one.providerId === id) ?? [],
  );
  assert.equal(mappings.length, 4);
  const healthOf = (id: string, isHealthy: boolean) => ({
    providerId: id,
    isHealthy,
    model: mappings.find(({ providerId }) => providerId === id)?.externalId ?? '',
  });
  const availability = {
    catalogue,
    callable: new Set(['anthropic', 'cohere', 'openai']),
    healths: [healthOf('openai', false), healthOf('anthropic', false), healthOf('anthropic', true)],
  };
  const list = async (of: { organizationId?: string; projectId?: string }): Promise<string[]> =>
    mappings
      .filter(await createUsableFilter(directory, availability, of))
      .map(({ providerId }) => providerId);
  assert.deepEqual(await list({ organizationId }), ['anthropic']);
  assert.deepEqual(await list({ projectId }), ['anthropic']);
  assert.deepEqual(await list({}), ['anthropic', 'cohere']);
  const own = { ...directory, listProviderKeys: async () => [{ providerId: 'mistral' }] as never };
  const usable = await createUsableFilter(own, availability, { organizationId });
  assert.deepEqual(
    mappings.filter(usable).map(({ providerId }) => providerId),
    ['anthropic', 'mistral'],
  );
});
