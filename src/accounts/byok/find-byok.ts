import type { Queryable } from '#storage';
import { type Byok, recallByok } from './byok.ts';

/** An organization's own keys, providers and models, for work without a caller. */
export async function findByok(database: Queryable, organizationId: string): Promise<Byok | undefined> {
  const { rows } = await database.query<{ byok: string | null }>({
    text: 'SELECT organization_byok($1) AS byok',
    values: [organizationId],
  });
  const text = rows[0]?.byok ?? undefined;
  return text === undefined ? undefined : recallByok(text);
}
