import type { CustomModelBook } from './custom-model-book.ts';
import type { CustomProviderBook } from './custom-provider-book.ts';
import type { ProviderKeyBook, ByokPorts } from './provider-key-book.ts';
import type { Byok } from './byok.ts';
import { createCustomModelBook } from './custom-model-book.ts';
import { createCustomProviderBook } from './custom-provider-book.ts';
import { createProviderKeyBook } from './provider-key-book.ts';
import { recallByok } from './byok.ts';

/** The keys, providers and models of organizations, as they or their operator change them. */
export interface ByokBook extends ProviderKeyBook, CustomProviderBook, CustomModelBook {
  /** All of one organization; undefined if it has none. */
  findByok(organizationId: string): Promise<Byok | undefined>;
}

export function createByokBook(ports: ByokPorts): ByokBook {
  const { database } = ports;
  return {
    ...createProviderKeyBook(ports),
    ...createCustomProviderBook(ports),
    ...createCustomModelBook(ports),
    findByok: async (organizationId) => {
      const { rows } = await database.query<{ byok: string | null }>({
        text: 'SELECT organization_byok($1) AS byok',
        values: [organizationId],
      });
      const text = rows[0]?.byok;
      return text ? recallByok(text) : undefined;
    },
  };
}
