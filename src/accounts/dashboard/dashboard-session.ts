import type { Page } from '../page.ts';
import type { SessionRole } from './session-role.ts';

/** A session of the dashboard as listed, without its secrets. */
export interface DashboardSession {
  id: string;
  label: string;
  scopes: readonly string[];
  /** The one organization it can access; absent: all. */
  organizationId?: string;
  /** The admin key it was made with. */
  adminKeyId?: string;
  /** Of someone who signed in by OpenID Connect, at the start of the session, or of the member who made its link. */
  role?: SessionRole;
  /** Whose session it is, unless an operator's. */
  memberId?: string;
  userAgent?: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  /** When its link was used; absent before. */
  startedAt?: number;
  lastSeenAt?: number;
  /** The end of the link, then of the session. */
  expiresAt: number;
  endedAt?: number;
}

/** What a new session may do. */
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
  /** Newest first; those that are over only if `ended` is set. */
  listDashboardSessions(
    filter: { organizationId?: string; ended?: boolean } & Page,
  ): Promise<DashboardSession[]>;
  /** Ends a session at once, or makes its link invalid. */
  endDashboardSession(id: string): Promise<DashboardSession>;
}

/** How long a link is valid, and a session without and with requests. */
export const DASHBOARD_MINUTES = { link: 10, idle: 12 * 60, session: 7 * 24 * 60 } as const;
