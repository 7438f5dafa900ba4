import type { Sealer } from './sealer.ts';
import type { ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { epochMs } from '#storage';
import { type ByokFilter, type ByokPorts, type OwnedId, createByokRows } from './byok-rows.ts';
import { getKeyId } from './credential-keys.ts';
import { maskProviderKey, readOrigin, readProviderKey } from './read-byok.ts';
import { getRow } from '../get-row.ts';

/** An organization's key for a catalogue provider, as listed: without its text. */
export interface ProviderKeyRecord {
  id: string;
  organizationId: string;
  providerId: string;
  /** The only origin it is sent to. */
  origin: string;
  /** `…abcd` */
  masked: string;
  /** Whether it can be used: a tampered record cannot be decrypted. */
  readable: boolean;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** The keys of organizations for catalogue providers. Changes take effect in every process within a second. */
export interface ProviderKeyStore {
  /** Replaces an earlier one for the same provider. */
  setProviderKey(
    input: { organizationId: string; providerId: string; apiKey: string },
    terms: ByokTerms,
  ): Promise<ProviderKeyRecord>;
  listProviderKeys(filter: ByokFilter): Promise<ProviderKeyRecord[]>;
  getProviderKey(id: string): Promise<ProviderKeyRecord>;
  removeProviderKey(owned: OwnedId): Promise<ProviderKeyRecord>;
}

interface KeyRow {
  id: string;
  organization_id: string;
  provider_id: string;
  origin: string;
  sealed: string;
  masked: string;
  created_at: number;
}

const COLUMNS = `r.id, r.organization_id, r.provider_id, r.origin, r.sealed, r.masked,
  ${epochMs('r.created_at')} AS created_at`;

/** A replacement is a new row: facts cached about the old key do not apply to it. */
const SET_KEY = `
  INSERT INTO provider_key AS r (id, organization_id, provider_id, origin, sealed, masked)
  SELECT $1, o.id, $3, $4, $5, $6 FROM organization o WHERE o.id = $2 AND o.removed_at IS NULL FOR KEY SHARE
  ON CONFLICT (organization_id, provider_id) DO UPDATE
    SET id = EXCLUDED.id, origin = EXCLUDED.origin, sealed = EXCLUDED.sealed, masked = EXCLUDED.masked,
      created_at = EXCLUDED.created_at
  RETURNING ${COLUMNS}`;

export function createProviderKeyStore(ports: ByokPorts): ProviderKeyStore {
  const { database, sealer } = ports;
  const keys = createByokRows(ports, {
    table: 'provider_key',
    columns: COLUMNS,
    toRecord: (row: KeyRow) => toRecord(row, sealer),
  });
  return {
    setProviderKey: async ({ organizationId, providerId, apiKey }, terms) => {
      const origin = readOrigin(providerId, terms);
      const key = readProviderKey(apiKey);
      const id = createIdentifier('pkey');
      const binding = { organizationId, id, address: origin };
      const sealed = sealer.seal(key, binding, await getKeyId(database));
      const row = await getRow<KeyRow>(database, 'organization', {
        text: SET_KEY,
        values: [id, organizationId, providerId, origin, sealed, maskProviderKey(key)],
      });
      return keys.announce(row);
    },
    listProviderKeys: keys.list,
    getProviderKey: keys.get,
    removeProviderKey: keys.remove,
  };
}

function toRecord(row: KeyRow, sealer: Sealer): ProviderKeyRecord {
  const { id, organization_id: organizationId, provider_id: providerId, origin, masked } = row;
  const readable = sealer.open(row.sealed, { organizationId, id, address: origin }) !== undefined;
  return { id, organizationId, providerId, origin, masked, readable, createdAt: row.created_at };
}
