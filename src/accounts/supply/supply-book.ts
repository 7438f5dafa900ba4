import type { CustomModelBook } from './custom-model-book.ts';
import type { CustomProviderBook } from './custom-provider-book.ts';
import type { ProviderKeyBook, SupplyPorts } from './provider-key-book.ts';
import type { Supply } from './supply.ts';
import { createCustomModelBook } from './custom-model-book.ts';
import { createCustomProviderBook } from './custom-provider-book.ts';
import { createProviderKeyBook } from './provider-key-book.ts';
import { recallSupply } from './supply.ts';

/** What organizations bring along, as they or their operator change it. */
export interface SupplyBook extends ProviderKeyBook, CustomProviderBook, CustomModelBook {
  /** All of one organization; nothing where it brought nothing. */
  findSupply(organizationId: string): Promise<Supply | undefined>;
}

export function createSupplyBook(ports: SupplyPorts): SupplyBook {
  const { database } = ports;
  return {
    ...createProviderKeyBook(ports),
    ...createCustomProviderBook(ports),
    ...createCustomModelBook(ports),
    findSupply: async (organizationId) => {
      const { rows } = await database.query<{ supply: string | null }>({
        text: 'SELECT organization_byok($1) AS supply',
        values: [organizationId],
      });
      const text = rows[0]?.supply;
      return text ? recallSupply(text) : undefined;
    },
  };
}
