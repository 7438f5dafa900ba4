import type { StorePorts } from '../store-ports.ts';
import type { Queryable } from '#storage';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import { epochMs } from '#storage';
import { ADMIN_SCOPES, type AdminKeyStore, type AdminKeyRecord } from '../admin-key.ts';
import { createKeyText, maskKey } from '../keys/key-text.ts';
import { composeList } from '../page.ts';
import { createInvalid, readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';

interface AdminKeyRow {
  id: string;
  label: string;
  masked: string;
  scopes: string[];
  organization_id: string | null;
  member_id: string | null;
  disabled: boolean;
  created_at: number;
}

/** Holds for `admin_key a` if what it was created for or by is gone: it cannot be enabled. */
const HAS_ENDED = `(
  EXISTS (SELECT FROM organization o WHERE o.id = a.organization_id AND o.removed_at IS NOT NULL)
  OR EXISTS (SELECT FROM member b WHERE b.id = a.member_id
    AND (b.removed_at IS NOT NULL OR b.role NOT IN ('owner', 'admin'))))`;

/** Holds for `admin_key a` if it is refused. */
export const IS_DISABLED = `(a.disabled_at IS NOT NULL OR ${HAS_ENDED})`;

const COLUMNS = `
  a.id, a.label, a.masked, a.scopes, a.organization_id, a.member_id, ${IS_DISABLED} AS disabled,
  ${epochMs('a.created_at')} AS created_at`;

const CREATE = `
  INSERT INTO admin_key AS a (id, label, digest, masked, scopes, organization_id, member_id)
  SELECT $1, $2, $3, $4, $5, $6, $7 WHERE $6::text IS NULL
    OR EXISTS (SELECT FROM organization WHERE id = $6 AND removed_at IS NULL FOR KEY SHARE)
  RETURNING ${COLUMNS}`;

const LIST = { select: `SELECT ${COLUMNS} FROM admin_key a WHERE true`, table: 'admin_key a', alias: 'a' };

const GET = `SELECT ${COLUMNS} FROM admin_key a WHERE a.id = $1`;

const SET_DISABLED = `
  UPDATE admin_key a SET disabled_at = CASE WHEN $2::boolean THEN COALESCE(a.disabled_at, now()) END
  WHERE a.id = $1 RETURNING ${COLUMNS}`;

const FIND_ENDED = `SELECT FROM admin_key a WHERE a.id = $1 AND ${HAS_ENDED}`;

export function createAdminKeyStore({
  database,
  digest,
  onChange,
}: Pick<StorePorts, 'database' | 'digest' | 'onChange'>): AdminKeyStore {
  return {
    createAdminKey: async ({ label, scopes = ['all'], organizationId, memberId }) => {
      const secret = createKeyText('admin');
      const values = [
        createIdentifier('adm'),
        readName('label', label),
        digest(secret),
        maskKey('admin', secret),
        readScopes(scopes),
        organizationId ?? null,
        memberId ?? null,
      ];
      const row = await getRow<AdminKeyRow>(database, 'organization', { text: CREATE, values });
      return { secret, key: toRecord(row) };
    },
    listAdminKeys: async ({ organizationId, ...page }) => {
      const statement = composeList({ ...LIST, filters: { 'a.organization_id =': organizationId } }, page);
      return (await database.query<AdminKeyRow>(statement)).rows.map(toRecord);
    },
    getAdminKey: async (adminKeyId) => {
      return toRecord(await getRow<AdminKeyRow>(database, 'admin key', { text: GET, values: [adminKeyId] }));
    },
    setAdminKeyDisabled: async (adminKeyId, disabled) => {
      if (!disabled) await refuseEnded(database, adminKeyId);
      const values = [adminKeyId, disabled];
      const row = await getRow<AdminKeyRow>(database, 'admin key', { text: SET_DISABLED, values });
      onChange(`admin_key:${adminKeyId}`);
      return toRecord(row);
    },
  };
}

async function refuseEnded(database: Queryable, adminKeyId: string): Promise<void> {
  const { rows } = await database.query({ text: FIND_ENDED, values: [adminKeyId] });
  if (rows.length === 0) return;
  const message =
    'the organization of this admin key was removed, or the member who created it is no administrator any more';
  throw new GatewayError('invalid_request', message, { param: 'disabled' });
}

export function readScopes(scopes: readonly string[]): string[] {
  const isKnown = scopes.every((scope) => (ADMIN_SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0 || !isKnown) throw createInvalid('scopes', `some of ${ADMIN_SCOPES.join(', ')}`);
  return [...new Set(scopes)];
}

function toRecord(row: AdminKeyRow): AdminKeyRecord {
  const { id, label, masked, scopes, disabled, created_at: createdAt } = row;
  const record: AdminKeyRecord = { id, label, masked, scopes, disabled, createdAt };
  if (row.organization_id !== null) record.organizationId = row.organization_id;
  if (row.member_id !== null) record.memberId = row.member_id;
  return record;
}
