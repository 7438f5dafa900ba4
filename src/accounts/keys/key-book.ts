import { createIdentifier } from '#base';
import type { Database } from '#storage';
import type { Directory, KeyRecord, NewKey } from '../organizations/directory.ts';
import { createInvalid, createNotFound, readAmount, readName } from '../read-input.ts';
import type { DigestKey } from './key-digest.ts';
import { createKeyText, maskKey, publicIdOf } from './key-text.ts';

export interface KeyBookPorts {
  database: Database;
  digest: DigestKey;
  /** Called when this very process changed what a snapshot may hold. */
  onChange(change: string): void;
}

type KeyBook = Pick<
  Directory,
  'createKey' | 'createAdminKey' | 'listKeys' | 'disableKey' | 'enableKey' | 'setKeyLimit'
>;

interface KeyRow {
  id: string;
  organization_id: string;
  project_id: string;
  label: string;
  masked: string;
  used: string;
  lim: string | null;
  disabled: boolean;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

export function createKeyBook(ports: KeyBookPorts): KeyBook {
  const { database } = ports;
  const setDisabled = async (keyId: string, disabled: boolean): Promise<void> => {
    const { rows } = await database.query<{ id: string }>({
      text: `
        UPDATE api_key SET disabled_at = CASE WHEN $2::boolean THEN COALESCE(disabled_at, now()) END
        WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
      values: [keyId, disabled],
    });
    if (rows.length === 0) throw createNotFound('key');
    ports.onChange(`api_key:${keyId}`);
  };

  return {
    createKey: (input) => createKey(ports, input),
    createAdminKey: async ({ label }) => {
      const secret = createKeyText('admin');
      const id = createIdentifier('adm');
      await database.query({
        text: 'INSERT INTO admin_key (id, label, digest, masked) VALUES ($1, $2, $3, $4)',
        values: [id, readName('label', label), ports.digest(secret), maskKey('admin', secret)],
      });
      return { secret, id };
    },
    listKeys: ({ organizationId, projectId }) =>
      readKeys(database, '($1::text IS NULL OR p.organization_id = $1) AND ($2::text IS NULL OR p.id = $2)', [
        organizationId ?? null,
        projectId ?? null,
      ]),
    disableKey: (keyId) => setDisabled(keyId, true),
    enableKey: (keyId) => setDisabled(keyId, false),
    setKeyLimit: async (keyId, limit) => {
      const { rows } = await database.query<{ id: string }>({
        text: `UPDATE meter SET lim = $2 WHERE kind = 'key' AND subject_id = $1 RETURNING subject_id AS id`,
        values: [keyId, limit === null ? null : readAmount('limit', limit, 0n).toString()],
      });
      if (rows.length === 0) throw createNotFound('key');
    },
  };
}

async function createKey(ports: KeyBookPorts, input: Parameters<Directory['createKey']>[0]): Promise<NewKey> {
  const { projectId, label, limit, expiresAt } = input;
  const secret = createKeyText('regular');
  const id = `key_${publicIdOf('regular', secret)}`;
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    throw createInvalid('expiresAt', 'a moment in time');
  const { rows } = await ports.database.query<{ id: string }>({
    text: `
      WITH made AS (
        INSERT INTO api_key (id, project_id, label, digest, masked, expires_at)
        SELECT $1, id, $3, $4, $5, to_timestamp($6::float8 / 1000) FROM project WHERE id = $2 RETURNING id
      )
      INSERT INTO meter (kind, subject_id, lim) SELECT 'key', id, $7 FROM made RETURNING subject_id AS id`,
    values: [
      id,
      projectId,
      readName('label', label),
      ports.digest(secret),
      maskKey('regular', secret),
      expiresAt ?? null,
      limit === undefined ? null : readAmount('limit', limit, 0n).toString(),
    ],
  });
  if (rows.length === 0) throw createNotFound('project');
  ports.onChange(`api_key:${id}`);
  const [key] = await readKeys(ports.database, 'k.id = $1', [id]);
  if (key === undefined) throw createNotFound('key');
  return { secret, key };
}

const KEY_COLUMNS = `
  k.id, p.organization_id, p.id AS project_id, k.label, k.masked, m.used::text AS used, m.lim::text AS lim,
  k.disabled_at IS NOT NULL AS disabled,
  round(extract(epoch FROM k.created_at) * 1000)::float8 AS created_at,
  round(extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at,
  (SELECT round(extract(epoch FROM max(l.started_at)) * 1000)::float8 FROM request_log l WHERE l.key_id = k.id) AS last_used_at`;

async function readKeys(database: Database, condition: string, values: unknown[]): Promise<KeyRecord[]> {
  const { rows } = await database.query<KeyRow>({
    text: `
      SELECT ${KEY_COLUMNS} FROM api_key k
      JOIN project p ON p.id = k.project_id JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id
      WHERE k.deleted_at IS NULL AND ${condition} ORDER BY k.created_at, k.id`,
    values,
  });
  return rows.map(toKeyRecord);
}

function toKeyRecord(row: KeyRow): KeyRecord {
  const record: KeyRecord = {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    label: row.label,
    masked: row.masked,
    usage: BigInt(row.used),
    limit: row.lim === null ? null : BigInt(row.lim),
    disabled: row.disabled,
    createdAt: row.created_at,
  };
  if (row.expires_at !== null) record.expiresAt = row.expires_at;
  if (row.last_used_at !== null) record.lastUsedAt = row.last_used_at;
  return record;
}
