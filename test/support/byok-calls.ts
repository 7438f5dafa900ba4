import { fileURLToPath } from 'node:url';
import type { Accounts, ByokTerms } from '#accounts';
import { STRICT_ADDRESSES } from '#base';
import { loadCatalogue } from '#catalogue';
import { requireAny } from './require-any.ts';

type Directory = Accounts['directory'];

/** An operator's configuration in which every name resolves to a public address. */
export async function createByokTerms(): Promise<ByokTerms> {
  return {
    catalogue: await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url))),
    addresses: { ...STRICT_ADDRESSES, resolveHost: async () => ['8.8.8.8'] },
    allowUnpriced: false,
  };
}

/** A call of every BYOK method, in an order in which each finds what it needs. */
export function callsOfByok(to: Directory, organizationId: string, terms: ByokTerms) {
  const key = { organizationId, providerId: 'openai' };
  const provider = { organizationId, name: 'mine' };
  const made = {
    ...provider,
    format: 'chat',
    baseUrl: 'https://llm.example.com/v1',
    apiKey: 'sk-0123456789',
  };
  const model = { name: 'm', contextLength: 1000, maxOutput: 100, price: { input: '1', output: '1' } };
  const named = { organizationId, provider: 'mine' };
  return {
    findByok: () => to.findByok(organizationId),
    setProviderKey: () => to.setProviderKey({ ...key, apiKey: 'sk-0123456789' }, terms),
    listProviderKeys: () => to.listProviderKeys({ organizationId }).then(requireAny),
    removeProviderKey: () => to.removeProviderKey(key),
    addCustomProvider: () => to.addCustomProvider(made, terms),
    changeCustomProvider: () => to.changeCustomProvider({ ...provider, apiKey: 'sk-9876543210' }, terms),
    listCustomProviders: () => to.listCustomProviders({ organizationId }).then(requireAny),
    addCustomModel: () => to.addCustomModel({ ...named, model }, terms),
    listCustomModels: () => to.listCustomModels({ organizationId }).then(requireAny),
    removeCustomModel: () => to.removeCustomModel({ ...named, model: 'm' }),
    removeCustomProvider: () => to.removeCustomProvider(provider),
  } satisfies Partial<Record<keyof Directory, () => Promise<unknown>>>;
}
