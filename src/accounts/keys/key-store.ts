import type { KeyStore, NewKey } from './key-record.ts';
import { readRecurringLimit } from '../meters/recurring-limit.ts';
import { GatewayError } from '#errors';
import { createNotFound, readAmount, readExpiry, readName } from '../read-input.ts';
import { type KeyLifePorts, createKeyLife } from './key-life.ts';
import { getKeyRecord, readKeyRecords } from './read-key-records.ts';
import { createKeyText, maskKey, publicIdOf } from './key-text.ts';
import { type UpdatePorts, updateKey } from './update-key.ts';

type KeyStorePorts = KeyLifePorts & UpdatePorts;

export function createKeyStore(ports: KeyStorePorts): KeyStore {
  const { database } = ports;
  return {
    ...createKeyLife(ports),
    createKey: (input) => createKey(ports, input),
    getKey: (keyId) => getKeyRecord(database, keyId),
    listKeys: (filter) => readKeyRecords(database, filter),
    updateKey: async (keyId, changes) => {
      await updateKey(ports, keyId, changes);
      return getKeyRecord(database, keyId);
    },
  };
}

const CREATE_KEY = `
  WITH created AS (
    INSERT INTO api_key (id, project_id, label, digest, masked, expires_at, rate_limits, member_id)
    SELECT $1, p.id, $3, $4, $5, to_timestamp($6::float8 / 1000), $8::jsonb, $11 FROM project p
    WHERE p.id = $2 AND p.removed_at IS NULL AND ($11::text IS NULL OR EXISTS (
      SELECT FROM member b WHERE b.id = $11 AND b.organization_id = p.organization_id AND b.removed_at IS NULL))
    FOR KEY SHARE OF p
    RETURNING id
  ), renewing AS (
    INSERT INTO recurring_limit (key_id, lim, period) SELECT id, $9, $10 FROM created WHERE $9::numeric IS NOT NULL
  )
  INSERT INTO meter (kind, subject_id, lim, renews) SELECT 'key', id, $7, $9::numeric IS NOT NULL FROM created
  RETURNING subject_id AS id`;

async function createKey(ports: KeyStorePorts, input: Parameters<KeyStore['createKey']>[0]): Promise<NewKey> {
  const { projectId, label, limit, expiresAt, rateLimits, memberId } = input;
  const recurring = input.recurringLimit && readRecurringLimit(input.recurringLimit);
  const secret = createKeyText('regular');
  const id = `key_${publicIdOf('regular', secret)}`;
  const { rows } = await ports.database.query<{ id: string }>({
    text: CREATE_KEY,
    values: [
      id,
      projectId,
      readName('label', label),
      ports.digest(secret),
      maskKey('regular', secret),
      expiresAt === undefined ? null : readExpiry(expiresAt),
      limit === undefined ? null : readAmount('limit', limit, 0n).toString(),
      rateLimits === undefined ? null : JSON.stringify(rateLimits),
      recurring?.amount.toString() ?? null,
      recurring?.period ?? null,
      memberId ?? null,
    ],
  });
  if (rows.length === 0) throw await explainRefusal(ports, input);
  ports.onChange(`api_key:${id}`);
  return { secret, key: await getKeyRecord(ports.database, id) };
}

/** Whether the project or the member that a new key names does not exist. */
async function explainRefusal(
  { database }: KeyStorePorts,
  { projectId }: Pick<Parameters<KeyStore['createKey']>[0], 'projectId'>,
): Promise<GatewayError> {
  const text = 'SELECT FROM project WHERE id = $1 AND removed_at IS NULL';
  const { rows } = await database.query({ text, values: [projectId] });
  if (rows.length === 0) return createNotFound('project');
  const message = 'there is no such member in the organization of the project';
  return new GatewayError('not_found', message, { missing: 'member' });
}
