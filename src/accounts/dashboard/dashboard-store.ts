import type { StorePorts } from '../store-ports.ts';
import { createIdentifier, createRandomText } from '#base';
import { type RecordOf, column, defineRecord, ifSet, moment } from '#storage';
import { IS_DISABLED, readScopes } from '../admin-keys/admin-key-store.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound, readName } from '../read-input.ts';
import type { SessionRole } from '../roles/session-role.ts';

/** How long a link is valid, and a session without and with requests. */
export const DASHBOARD_MINUTES = { link: 10, idle: 12 * 60, session: 7 * 24 * 60 } as const;

/** The length of the secrets of links and cookies: 256 random bits. */
const SECRET_LENGTH = 43;

/** A session of the dashboard as listed, without its secrets: columns of `dashboard_session s`. */
export const DASHBOARD_SESSION = defineRecord({
  id: column<string>('s.id'),
  label: column<string>('s.label'),
  scopes: column<readonly string[]>('s.scopes'),
  /** The one organization it can access; absent: all. */
  organizationId: ifSet(column<string>('s.organization_id')),
  /** The admin key it was made with. */
  adminKeyId: ifSet(column<string>('s.admin_key_id')),
  /** The role of the person at the start of a session by OpenID Connect, or of the member who created the link. */
  role: ifSet(column<SessionRole>('s.role')),
  /** Whose session it is, unless an operator's. */
  memberId: ifSet(column<string>('s.member_id')),
  userAgent: ifSet(column<string>('s.user_agent')),
  createdAt: moment('s.created_at'),
  /** When its link was used; absent before. */
  startedAt: ifSet(moment('s.started_at')),
  lastSeenAt: ifSet(moment('s.last_seen_at')),
  /** The end of the link, then of the session. */
  expiresAt: moment('s.expires_at'),
  endedAt: ifSet(moment('s.ended_at')),
});

export type DashboardSession = RecordOf<typeof DASHBOARD_SESSION>;

/** The rights and owner of a new session. */
interface NewDashboardSession {
  label: string;
  /** Every scope by default. */
  scopes?: readonly string[] | undefined;
  /** All organizations by default. */
  organizationId?: string | undefined;
  adminKeyId?: string | undefined;
  /** Whose link it is: it ends with them, and has no more rights than they. */
  holder?: { memberId: string; role: SessionRole } | undefined;
}

/** Sessions of the dashboard as the operator sees and ends them. */
export interface DashboardStore {
  /** A session that begins when its link is used, once and within ten minutes. The link's secret is only shown here. */
  createDashboardSession(input: NewDashboardSession): Promise<{ secret: string; session: DashboardSession }>;
  getDashboardSession(id: string): Promise<DashboardSession>;
  /** Newest first; ended ones only if `ended` is set. */
  listDashboardSessions(
    filter: { organizationId?: string; ended?: boolean } & Page,
  ): Promise<DashboardSession[]>;
  /** Ends a session at once, or makes its link invalid. */
  endDashboardSession(id: string): Promise<DashboardSession>;
}

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
  RETURNING ${DASHBOARD_SESSION.columns}`;
/** Unused links, and sessions that were over three months ago. */
const SWEEP = `
  DELETE FROM dashboard_session s WHERE s.expires_at < now() - CASE WHEN s.started_at IS NULL
    THEN interval '1 day' ELSE interval '90 days' END`;
const SESSIONS = {
  what: 'dashboard session',
  type: DASHBOARD_SESSION,
  where: `($1 OR (${IS_OPEN}))`,
  table: 'dashboard_session s',
  alias: 's',
  isNewestFirst: true,
};
const END = `
  UPDATE dashboard_session s SET ended_at = COALESCE(s.ended_at, now()) WHERE s.id = $1
  RETURNING ${DASHBOARD_SESSION.columns}`;

export const createDashboardSecret = (): string => createRandomText(SECRET_LENGTH);

export function createDashboardStore({
  database,
  digest,
}: Pick<StorePorts, 'database' | 'digest'>): DashboardStore {
  const sessions = createRecords(database, SESSIONS);
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
      const session = await sessions.change({ text: CREATE, values }, () => createNotFound('organization'));
      return { secret, session };
    },
    getDashboardSession: (id) => sessions.get(id, [true]),
    listDashboardSessions: ({ organizationId, ended = false, ...page }) =>
      sessions.list({ 's.organization_id =': organizationId }, page, [ended]),
    endDashboardSession: (id) => sessions.change({ text: END, values: [id] }),
  };
}
