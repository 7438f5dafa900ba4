import type { ByokTerms } from './byok.ts';
import { createIdentifier } from '#base';
import { type RecordOf, column, defineRecord, moment } from '#storage';
import { type ByokFilter, type ByokPorts, type OwnedId, createByokRows } from './byok-rows.ts';
import { getKeyId } from './credential-keys.ts';
import { maskProviderKey, readOrigin, readProviderKey } from './read-byok.ts';
import { createNotFound } from '../read-input.ts';

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

const KEY = defineRecord({
  id: column<string>('r.id'),
  organizationId: column<string>('r.organization_id'),
  providerId: column<string>('r.provider_id'),
  /** The only origin it is sent to. */
  origin: column<string>('r.origin'),
  sealed: column<string>('r.sealed'),
  /** `…abcd` */
  masked: column<string>('r.masked'),
  createdAt: moment('r.created_at'),
});
type KeyRow = RecordOf<typeof KEY>;

/** An organization's key for a catalogue provider, as listed: without its text. */
export interface ProviderKeyRecord extends Omit<KeyRow, 'sealed'> {
  /** Whether it can be used: a tampered record cannot be decrypted. */
  readable: boolean;
}

/** A replacement is a new row: facts cached about the old key do not apply to it. */
const SET_KEY = `
  INSERT INTO provider_key AS r (id, organization_id, provider_id, origin, sealed, masked)
  SELECT $1, o.id, $3, $4, $5, $6 FROM organization o WHERE o.id = $2 AND o.removed_at IS NULL FOR KEY SHARE
  ON CONFLICT (organization_id, provider_id) DO UPDATE
    SET id = EXCLUDED.id, origin = EXCLUDED.origin, sealed = EXCLUDED.sealed, masked = EXCLUDED.masked,
      created_at = EXCLUDED.created_at
  RETURNING ${KEY.columns}`;

export function createProviderKeyStore(ports: ByokPorts): ProviderKeyStore {
  const { database, sealer } = ports;
  const keys = createByokRows(ports, {
    table: 'provider_key',
    type: KEY,
    toItem: ({ sealed, ...row }): ProviderKeyRecord => {
      const { id, organizationId, origin } = row;
      return { ...row, readable: sealer.open(sealed, { organizationId, id, address: origin }) !== undefined };
    },
  });
  return {
    setProviderKey: async ({ organizationId, providerId, apiKey }, terms) => {
      const origin = readOrigin(providerId, terms);
      const key = readProviderKey(apiKey);
      const id = createIdentifier('pkey');
      const binding = { organizationId, id, address: origin };
      const sealed = sealer.seal(key, binding, await getKeyId(database));
      const values = [id, organizationId, providerId, origin, sealed, maskProviderKey(key)];
      return keys.change({ text: SET_KEY, values }, () => createNotFound('organization'));
    },
    listProviderKeys: keys.list,
    getProviderKey: keys.get,
    removeProviderKey: keys.remove,
  };
}
