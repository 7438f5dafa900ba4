import { createInvalid } from '#errors';
import type { StorePorts } from '../store-ports.ts';
import type { KeyStore, NewKey } from './key-record.ts';
import { changeRow } from '../change-row.ts';
import { createNotFound } from '../read-input.ts';
import { KEYS, getKeyRecord } from './read-key-records.ts';
import { createKeyText, createKeyTextFor, maskKey } from './key-text.ts';

/** The longest grace period of a replaced secret. */
const MOST_GRACE_MS = 90 * 24 * 3_600_000;

export type KeyLifePorts = Pick<StorePorts, 'database' | 'digest' | 'onChange'>;

type KeyLife = Pick<KeyStore, 'deleteKey' | 'rotateKey'>;

/** What ends a key or a secret of it. */
export function createKeyLife(ports: KeyLifePorts): KeyLife {
  return {
    deleteKey: (id) => changeRow(ports, { ...KEYS, id }, [['deleted_at = $::timestamptz', 'now']]),
    rotateKey: (keyId, input) => rotateKey(ports, keyId, input),
  };
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
