import type { Page } from './page.ts';

/** What an admin key may be allowed. `all` and `read` stand for every area; to write includes to read. */
export const ADMIN_SCOPES = [
  'all',
  'read',
  'accounts:read',
  'accounts:write',
  'money:read',
  'money:write',
  'logs:read',
  'audit:read',
  'admin_keys:read',
  'admin_keys:write',
] as const;

type AdminScope = (typeof ADMIN_SCOPES)[number];

/** What an endpoint asks for: one area, read or written. */
export type AdminTask = Exclude<AdminScope, 'all' | 'read'>;

/** Who administers, as the admin key tells. */
export interface AdminCaller {
  adminKeyId: string;
  scopes: readonly string[];
  /** The one organization it sees; absent: it sees all. */
  organizationId?: string;
}

/** An admin key as it may be listed: never its text. */
export interface AdminKeyRecord {
  id: string;
  label: string;
  /** `slcadm_…abcd` */
  masked: string;
  scopes: readonly string[];
  organizationId?: string;
  disabled: boolean;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

/** The admin keys as an operator changes them. */
export interface AdminKeyBook {
  /** With every scope and for all organizations, unless told. The text is shown this once. */
  createAdminKey(input: {
    label: string;
    scopes?: readonly string[];
    organizationId?: string;
  }): Promise<{ secret: string; key: AdminKeyRecord }>;
  listAdminKeys(filter: { organizationId?: string } & Page): Promise<AdminKeyRecord[]>;
  setAdminKeyDisabled(adminKeyId: string, disabled: boolean): Promise<AdminKeyRecord>;
}

/** Whether a key may do something. */
export function hasScope(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes('all') || scopes.includes(wanted)) return true;
  const [area = '', verb] = wanted.split(':');
  return verb === 'read' && (scopes.includes('read') || scopes.includes(`${area}:write`));
}
