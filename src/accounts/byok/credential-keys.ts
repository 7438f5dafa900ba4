import type { Sealer } from '../secrets/sealer.ts';
import type { Database, Queryable } from '#storage';
import { createRandomText } from '#base';
import { keepInstanceValue, replaceInstanceValue } from '#storage';

/** The outcome of a rotation. */
export interface Rotation {
  keyId: string;
  /** The number of reencrypted credentials. */
  sealed: number;
  /** The ids of rows that could not be decrypted; they are left unchanged. */
  unreadable: string[];
}

const NAME = 'credential_key';
const ID_LENGTH = 8;

/** The key that encrypts new credentials. */
export function getKeyId(database: Queryable): Promise<string> {
  return keepInstanceValue(database, NAME, createRandomText(ID_LENGTH));
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
 * Reencrypts every credential with a new key. Each row names its key, so that gateways under load read both old and
 * new.
 */
export function rotateCredentials(database: Database, sealer: Sealer): Promise<Rotation> {
  return database.transaction(async (client) => {
    const rotation: Rotation = { keyId: createRandomText(ID_LENGTH), sealed: 0, unreadable: [] };
    await replaceInstanceValue(client, NAME, rotation.keyId);
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
