import type { StorePorts } from '../store-ports.ts';
import type { KeyStore, KeyRecord, NewKey } from './key-record.ts';
import { GatewayError } from '#errors';
import { createInvalid, createNotFound, readExpiry } from '../read-input.ts';
import { getKeyRecord } from './read-key-records.ts';
import { createKeyText, createKeyTextFor, maskKey } from './key-text.ts';

/** The longest grace period of a replaced secret. */
const MOST_GRACE_MS = 90 * 24 * 3_600_000;

export type KeyLifePorts = Pick<StorePorts, 'database' | 'digest' | 'onChange'>;

type KeyLife = Pick<KeyStore, 'disableKey' | 'enableKey' | 'deleteKey' | 'setKeyExpiry' | 'rotateKey'>;

/** Changes to existing keys. */
export function createKeyLife(ports: KeyLifePorts): KeyLife {
  /** `assignment` takes its further values from `$2` on. */
  const change = async (keyId: string, assignment: string, values: unknown[] = []): Promise<void> => {
    const { rowCount } = await ports.database.query({
      text: `UPDATE api_key SET ${assignment} WHERE id = $1 AND deleted_at IS NULL`,
      values: [keyId, ...values],
    });
    if (rowCount === 0) throw createNotFound('key');
    ports.onChange(`api_key:${keyId}`);
  };
  return {
    disableKey: (keyId) => change(keyId, 'disabled_at = COALESCE(disabled_at, now())'),
    enableKey: async (keyId) => {
      await refuseRemovedMember(ports, keyId);
      await change(keyId, 'disabled_at = NULL');
    },
    deleteKey: (keyId) => change(keyId, 'deleted_at = now()'),
    setKeyExpiry: async (keyId, expiresAt): Promise<KeyRecord> => {
      const moment = expiresAt === null ? null : readExpiry(expiresAt);
      await change(keyId, 'expires_at = to_timestamp($2::float8 / 1000)', [moment]);
      return getKeyRecord(ports.database, keyId);
    },
    rotateKey: (keyId, input) => rotateKey(ports, keyId, input),
  };
}

async function refuseRemovedMember({ database }: KeyLifePorts, keyId: string): Promise<void> {
  const { rows } = await database.query({
    text: 'SELECT FROM api_key k JOIN member b ON b.id = k.member_id WHERE k.id = $1 AND b.removed_at IS NOT NULL',
    values: [keyId],
  });
  if (rows.length > 0) {
    throw new GatewayError(
      'invalid_request',
      'the member this key belongs to was removed; create a new key for another member',
      { param: 'disabled' },
    );
  }
}

/**
 * The current secret becomes the previous one, and the one before that becomes invalid. The public id belongs to the
 * key and stays.
 */
async function rotateKey(
  ports: KeyLifePorts,
  keyId: string,
  { graceMs }: Parameters<KeyStore['rotateKey']>[1],
): Promise<NewKey> {
  if (!Number.isFinite(graceMs) || graceMs < 0 || graceMs > MOST_GRACE_MS)
    throw createInvalid('grace', 'a time of at most 90 days');
  const publicId = /^key_([0-9A-Za-z]{12})$/.exec(keyId)?.[1];
  const secret = publicId === undefined ? createKeyText('regular') : createKeyTextFor('regular', publicId);
  const { rowCount } = await ports.database.query({
    text: `
      UPDATE api_key SET digest = $2, masked = $3, previous_digest = digest,
        previous_expires_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
      WHERE id = $1 AND deleted_at IS NULL`,
    values: [keyId, ports.digest(secret), maskKey('regular', secret), graceMs],
  });
  if (rowCount === 0) throw createNotFound('key');
  ports.onChange(`api_key:${keyId}`);
  return { secret, key: await getKeyRecord(ports.database, keyId) };
}
