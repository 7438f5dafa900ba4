import type { StorePorts } from '../store-ports.ts';
import { createIdentifier, createRandomText } from '#base';
import { epochMs } from '#storage';
import { IS_DISABLED, readScopes } from '../administration/admin-key-store.ts';
import { composeList } from '../page.ts';
import { readName } from '../read-input.ts';
import { DASHBOARD_MINUTES, type DashboardStore, type DashboardSession } from './dashboard-session.ts';
import type { SessionRole } from './session-role.ts';
import { getRow } from '../get-row.ts';

export interface DashboardRow {
  id: string;
  label: string;
  scopes: string[];
  organization_id: string | null;
  admin_key_id: string | null;
  role: SessionRole | null;
  member_id: string | null;
  user_agent: string | null;
  created_at: number;
  started_at: number | null;
  last_seen_at: number | null;
  expires_at: number;
  ended_at: number | null;
}

/** The length of the secrets of links and cookies: 256 random bits. */
const SECRET_LENGTH = 43;

const milliseconds = (column: string): string => `${epochMs(`s.${column}`)} AS ${column}`;

/** The columns of `dashboard_session s`. */
export const DASHBOARD_COLUMNS = `
  s.id, s.label, s.scopes, s.organization_id, s.admin_key_id, s.role, s.member_id, s.user_agent,
  ${['created_at', 'started_at', 'last_seen_at', 'expires_at', 'ended_at'].map(milliseconds).join(', ')}`;

/** Holds for `dashboard_session s` while its link or its cookie is accepted. */
export const IS_OPEN = `
  s.ended_at IS NULL AND s.expires_at > clock_timestamp()
  AND (s.last_seen_at IS NULL OR s.last_seen_at > clock_timestamp() - make_interval(mins => ${DASHBOARD_MINUTES.idle}))
  AND NOT EXISTS (SELECT FROM admin_key a WHERE a.id = s.admin_key_id AND ${IS_DISABLED})
  AND NOT EXISTS (SELECT FROM member b WHERE b.id = s.member_id AND b.removed_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM organization o WHERE o.id = s.organization_id AND o.removed_at IS NOT NULL)`;

const CREATE = `
  INSERT INTO dashboard_session AS s (id, label, scopes, organization_id, admin_key_id, link_digest, role, member_id, expires_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + make_interval(mins => ${DASHBOARD_MINUTES.link})
  WHERE $4::text IS NULL OR EXISTS (SELECT FROM organization WHERE id = $4 AND removed_at IS NULL FOR KEY SHARE)
  RETURNING ${DASHBOARD_COLUMNS}`;
/** Unused links, and sessions that were over three months ago. */
const SWEEP = `
  DELETE FROM dashboard_session s WHERE s.expires_at < now() - CASE WHEN s.started_at IS NULL
    THEN interval '1 day' ELSE interval '90 days' END`;
const LIST = {
  select: `SELECT ${DASHBOARD_COLUMNS} FROM dashboard_session s WHERE ($1 OR (${IS_OPEN}))`,
  table: 'dashboard_session s',
  alias: 's',
  isNewestFirst: true,
};
const GET = `SELECT ${DASHBOARD_COLUMNS} FROM dashboard_session s WHERE s.id = $1`;
const END = `
  UPDATE dashboard_session s SET ended_at = COALESCE(s.ended_at, now()) WHERE s.id = $1
  RETURNING ${DASHBOARD_COLUMNS}`;

export const createDashboardSecret = (): string => createRandomText(SECRET_LENGTH);

export function createDashboardStore({
  database,
  digest,
}: Pick<StorePorts, 'database' | 'digest'>): DashboardStore {
  const change = async (text: string, id: string): Promise<DashboardSession> => {
    const row = await getRow<DashboardRow>(database, 'dashboard session', { text, values: [id] });
    return toDashboardSession(row);
  };
  return {
    createDashboardSession: async ({ label, scopes = ['all'], organizationId, adminKeyId, holder }) => {
      const secret = createDashboardSecret();
      const values = [
        createIdentifier('dash'),
        readName('label', label),
        readScopes(scopes),
        organizationId ?? null,
        adminKeyId ?? null,
        digest(secret),
        holder?.role ?? null,
        holder?.memberId ?? null,
      ];
      await database.query({ text: SWEEP });
      const row = await getRow<DashboardRow>(database, 'organization', { text: CREATE, values });
      return { secret, session: toDashboardSession(row) };
    },
    getDashboardSession: (id) => change(GET, id),
    listDashboardSessions: async ({ organizationId, ended = false, ...page }) => {
      const filters = { 's.organization_id =': organizationId };
      const statement = composeList({ ...LIST, values: [ended], filters }, page);
      return (await database.query<DashboardRow>(statement)).rows.map(toDashboardSession);
    },
    endDashboardSession: (id) => change(END, id),
  };
}

export function toDashboardSession(row: DashboardRow): DashboardSession {
  const { id, label, scopes, created_at: createdAt, expires_at: expiresAt } = row;
  return {
    id,
    label,
    scopes,
    createdAt,
    expiresAt,
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    ...(row.admin_key_id !== null && { adminKeyId: row.admin_key_id }),
    ...(row.role !== null && { role: row.role }),
    ...(row.member_id !== null && { memberId: row.member_id }),
    ...(row.user_agent !== null && { userAgent: row.user_agent }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
  };
}
