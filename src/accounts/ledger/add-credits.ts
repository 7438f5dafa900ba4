import { createInvalid } from '#errors';
import { type PicoUsd, createIdentifier } from '#base';
import type { Queryable } from '#storage';
import { awaitRemoval } from '../await-removal.ts';
import { inTransaction } from '../in-transaction.ts';
import { createNotFound, readAmount, readName } from '../read-input.ts';

/** A grant of credits to an organization. */
interface Grant {
  organizationId: string;
  amount: PicoUsd;
  /** A grant repeated with the same key is given once. */
  idempotencyKey?: string;
}

export interface CreditStore {
  /**
   * Adds credits, once per idempotency key. Before its first grant an organization is not metered; afterwards its
   * balance starts at the granted amount, from which requests in flight are paid too.
   */
  addCredits(grant: Grant): Promise<{ balance: PicoUsd }>;
}

const GRANT = `
  SELECT ledger_grant($1, m.subject_id, $3)::text AS balance
  FROM meter m JOIN organization o ON o.id = m.subject_id AND o.removed_at IS NULL
  WHERE m.kind = 'credits' AND m.subject_id = $2`;

/** Adds credits and returns the balance. */
export async function addCredits(database: Queryable, grant: Grant): Promise<{ balance: PicoUsd }> {
  const { organizationId, idempotencyKey } = grant;
  const amount = readAmount('amount', grant.amount, 1n);
  const name = idempotencyKey === undefined ? createIdentifier('grant') : readName('grant', idempotencyKey);
  const granted = await inTransaction(database, async (client) => {
    await awaitRemoval(client, organizationId);
    const values = [`${organizationId}/${name}`, organizationId, amount.toString()];
    return (await client.query<{ balance: string | null }>({ text: GRANT, values })).rows[0];
  });
  if (granted === undefined) throw createNotFound('organization');
  if (granted.balance === null) {
    throw createInvalid('grant', 'a key that was not used for another amount');
  }
  return { balance: BigInt(granted.balance) };
}
