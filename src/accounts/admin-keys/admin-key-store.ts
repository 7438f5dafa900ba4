import type { StorePorts } from '../store-ports.ts';
import type { Queryable } from '#storage';
import { createIdentifier } from '#base';
import { GatewayError, createInvalid } from '#errors';
import { type RecordOf, column, defineRecord, ifSet, moment } from '#storage';
import { ADMIN_SCOPES } from '../admin-key.ts';
import { createKeyText, maskKey } from '../keys/key-text.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound, readName } from '../read-input.ts';

/**
 * Holds for `admin_key a` if its organization was removed or its creator is no longer an administrator: it cannot be
 * enabled.
 */
const HAS_ENDED = `(
  EXISTS (SELECT FROM organization o WHERE o.id = a.organization_id AND o.removed_at IS NOT NULL)
  OR EXISTS (SELECT FROM member b WHERE b.id = a.member_id
    AND (b.removed_at IS NOT NULL OR b.role NOT IN ('owner', 'admin'))))`;

/** Holds for `admin_key a` if it is refused. */
export const IS_DISABLED = `(a.disabled_at IS NOT NULL OR ${HAS_ENDED})`;

const ADMIN_KEY = defineRecord({
  id: column<string>('a.id'),
  label: column<string>('a.label'),
  /** `slcadm_…abcd` */
  masked: column<string>('a.masked'),
  scopes: column<readonly string[]>('a.scopes'),
  organizationId: ifSet(column<string>('a.organization_id')),
  /** The member who created it. */
  memberId: ifSet(column<string>('a.member_id')),
  /** Also if its creator is no longer an administrator. */
  disabled: column<boolean>(IS_DISABLED),
  createdAt: moment('a.created_at'),
});

/** An admin key as listed, without its text. */
export type AdminKeyRecord = RecordOf<typeof ADMIN_KEY>;

const CREATE = `
  INSERT INTO admin_key AS a (id, label, digest, masked, scopes, organization_id, member_id)
  SELECT $1, $2, $3, $4, $5, $6, $7 WHERE $6::text IS NULL
    OR EXISTS (SELECT FROM organization WHERE id = $6 AND removed_at IS NULL FOR KEY SHARE)
  RETURNING ${ADMIN_KEY.columns}`;

const ADMIN_KEYS = { what: 'admin key', type: ADMIN_KEY, table: 'admin_key a', alias: 'a' };

const SET_DISABLED = `
  UPDATE admin_key a SET disabled_at = CASE WHEN $2::boolean THEN COALESCE(a.disabled_at, now()) END
  WHERE a.id = $1 RETURNING ${ADMIN_KEY.columns}`;

const FIND_ENDED = `SELECT FROM admin_key a WHERE a.id = $1 AND ${HAS_ENDED}`;

/** Admin keys as the operator changes them. */
export interface AdminKeyStore {
  /** With every scope and for all organizations by default. The text is only shown here. */
  createAdminKey(input: {
    label: string;
    scopes?: readonly string[];
    organizationId?: string;
    memberId?: string | undefined;
  }): Promise<{ secret: string; key: AdminKeyRecord }>;
  listAdminKeys(filter: { organizationId?: string } & Page): Promise<AdminKeyRecord[]>;
  getAdminKey(adminKeyId: string): Promise<AdminKeyRecord>;
  setAdminKeyDisabled(adminKeyId: string, disabled: boolean): Promise<AdminKeyRecord>;
}

export function createAdminKeyStore({
  database,
  digest,
  onChange,
}: Pick<StorePorts, 'database' | 'digest' | 'onChange'>): AdminKeyStore {
  const keys = createRecords(database, ADMIN_KEYS);
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
      return {
        secret,
        key: await keys.change({ text: CREATE, values }, () => createNotFound('organization')),
      };
    },
    listAdminKeys: ({ organizationId, ...page }) =>
      keys.list({ 'a.organization_id =': organizationId }, page),
    getAdminKey: (adminKeyId) => keys.get(adminKeyId),
    setAdminKeyDisabled: async (adminKeyId, disabled) => {
      if (!disabled) await refuseEnded(database, adminKeyId);
      const key = await keys.change({ text: SET_DISABLED, values: [adminKeyId, disabled] });
      onChange(`admin_key:${adminKeyId}`);
      return key;
    },
  };
}

async function refuseEnded(database: Queryable, adminKeyId: string): Promise<void> {
  const { rows } = await database.query({ text: FIND_ENDED, values: [adminKeyId] });
  if (rows.length === 0) return;
  const message =
    'the organization of this admin key was removed, or the member who created it is no longer an administrator';
  throw new GatewayError('invalid_request', message, { param: 'disabled' });
}

export function readScopes(scopes: readonly string[]): string[] {
  const isKnown = scopes.every((scope) => (ADMIN_SCOPES as readonly string[]).includes(scope));
  if (scopes.length === 0 || !isKnown) throw createInvalid('scopes', `some of ${ADMIN_SCOPES.join(', ')}`);
  return [...new Set(scopes)];
}
