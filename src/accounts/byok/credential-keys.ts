import type { Sealer } from './sealer.ts';
import type { Database, Queryable } from '#storage';
import { createRandomText } from '#base';

/** What a rotation came to. */
export interface Rotation {
  keyId: string;
  /** How many credentials were sealed anew. */
  sealed: number;
  /** Those that could not be opened, by the id of their row; they are left as they are. */
  unreadable: string[];
}

const NAME = 'credential_key';
const ID_LENGTH = 8;

const KEEP_KEY_ID = `
  WITH made AS (INSERT INTO instance (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING value)
  SELECT value FROM made UNION ALL SELECT value FROM instance WHERE key = $1`;

/** The key that new credentials are sealed with. */
export async function getKeyId(database: Queryable): Promise<string> {
  const { rows } = await database.query<{ value: string }>({
    text: KEEP_KEY_ID,
    values: [NAME, createRandomText(ID_LENGTH)],
  });
  // Of two first ones at once, the one that came second sees neither in its statement; the next one does.
  return rows[0]?.value ?? getKeyId(database);
}

interface SealedRow {
  kind: 'provider_key' | 'custom_provider';
  id: string;
  organization_id: string;
  address: string;
  sealed: string;
}

const READ_SEALED = `
  SELECT 'provider_key' AS kind, id, organization_id, origin AS address, sealed FROM provider_key
  UNION ALL
  SELECT 'custom_provider', id, organization_id, base_url, sealed FROM custom_provider`;

const RESEAL = {
  provider_key:
    'UPDATE provider_key SET sealed = $3 WHERE id = $1 AND organization_id = $4 AND sealed = $2 RETURNING id',
  custom_provider:
    'UPDATE custom_provider SET sealed = $3 WHERE id = $1 AND organization_id = $4 AND sealed = $2 RETURNING id',
};

/**
 * Seals every credential with a new key. Each row names the key it is sealed with, so that gateways under load read both old
 * and new. The row of the key id is locked meanwhile: of two rotations at once one waits.
 */
export function rotateCredentials(database: Database, sealer: Sealer): Promise<Rotation> {
  return database.transaction(async (client) => {
    const rotation: Rotation = { keyId: createRandomText(ID_LENGTH), sealed: 0, unreadable: [] };
    await client.query({
      text: 'INSERT INTO instance (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value',
      values: [NAME, rotation.keyId],
    });
    const { rows } = await client.query<SealedRow>({ text: READ_SEALED });
    for (const row of rows) {
      const binding = { organizationId: row.organization_id, id: row.id, address: row.address };
      const text = sealer.open(row.sealed, binding);
      if (text === undefined) {
        rotation.unreadable.push(row.id);
        continue;
      }
      const values = [row.id, row.sealed, sealer.seal(text, binding, rotation.keyId), row.organization_id];
      const { rows: changed } = await client.query<{ id: string }>({ text: RESEAL[row.kind], values });
      rotation.sealed += changed.length;
    }
    return rotation;
  });
}
