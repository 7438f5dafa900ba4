import type { Queryable } from '#storage';
import { type Supply, recallSupply } from './supply.ts';

/** What an organization brought along, for work that goes on without a caller. */
export async function findSupply(database: Queryable, organizationId: string): Promise<Supply | undefined> {
  const { rows } = await database.query<{ supply: string | null }>({
    text: 'SELECT organization_byok($1) AS supply',
    values: [organizationId],
  });
  const text = rows[0]?.supply ?? undefined;
  return text === undefined ? undefined : recallSupply(text);
}
