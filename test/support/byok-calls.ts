import { fileURLToPath } from 'node:url';
import type { ByokTerms } from '#accounts';
import { STRICT_ADDRESSES } from '#base';
import { loadCatalogue } from '#catalogue';

/** An operator's configuration in which every name resolves to a public address. */
export async function createByokTerms(): Promise<ByokTerms> {
  return {
    catalogue: await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url))),
    addresses: { ...STRICT_ADDRESSES, resolveHost: async () => ['8.8.8.8'] },
    allowUnpriced: false,
  };
}
