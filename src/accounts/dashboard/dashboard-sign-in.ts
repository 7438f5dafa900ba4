import type { Database, Queryable } from '#storage';
import { type AdminCaller, hasScope } from '../admin-key.ts';
import type { Seal } from '../secrets/seal-answer.ts';
import type { DigestKey } from '../secrets/key-digest.ts';
import type { MemberRole } from '../roles/roles.ts';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import { epochMs } from '#storage';
import {
  DASHBOARD_MINUTES,
  DASHBOARD_SESSION,
  type DashboardSession,
  IS_OPEN,
  createDashboardSecret,
} from './dashboard-store.ts';
import { type PersonSignIn, findIdToken, signInPerson } from './person-sign-in.ts';
import { RIGHTS, type SessionRole, toSessionRole } from '../roles/session-role.ts';
import { setActor } from '../set-actor.ts';

/** A browser that signs in: with the secret of a one-time link, or with an admin key. */
interface SignIn {
  link?: string;
  adminKey?: string;
  /** Whether the page was loaded over TLS; its cookie is then accepted only over TLS. */
  isSecure: boolean;
  userAgent?: string | undefined;
  requestId: string;
}

/** Signs browsers in as administrators: each has a session of its own, under a secret that is only in its cookie. */
export interface DashboardSignIn {
  /** Throws `invalid_credential` for a link that is unknown, used or expired, or for a wrong admin key. */
  signIn(options: SignIn): Promise<{ secret: string; session: DashboardSession }>;
  /** Begins a session for a person that an issuer authenticates, as a member of the organization that a rule names. */
  signInPerson(options: PersonSignIn): Promise<{ secret: string; session: DashboardSession }>;
  /** The issuer's token that a session began with. */
  findIdToken(sessionId: string): Promise<string | undefined>;
  /** Encrypts the state that a browser keeps while it is at the issuer. */
  seal: Pick<Seal, 'seal' | 'open'>;
  /** The caller of a cookie; throws `invalid_credential` once its session is over. */
  identify(secret: string, isSecure: boolean): Promise<AdminCaller>;
}

interface SignInPorts {
  database: Database;
  digest: DigestKey;
  seal: Seal;
  /** Called after this process has changed data that a snapshot may hold. */
  onChange(change: string): void;
  identifyAdmin(credential: string): Promise<AdminCaller>;
}

const FIND_LINK = `SELECT s.id FROM dashboard_session s WHERE s.link_digest = $1 AND ${IS_OPEN} FOR UPDATE`;
const STARTED = `started_at = now(), last_seen_at = now(),
  expires_at = clock_timestamp() + make_interval(mins => ${DASHBOARD_MINUTES.session})`;
const START = `
  UPDATE dashboard_session s SET link_digest = NULL, digest = $2, secure = $3, user_agent = $4, ${STARTED}
  WHERE s.id = $1 RETURNING ${DASHBOARD_SESSION.columns}`;
const CREATE = `
  INSERT INTO dashboard_session (id, label, scopes, organization_id, admin_key_id, link_digest, expires_at)
  SELECT $1, left('admin key ' || a.label, 200), a.scopes, a.organization_id, a.id, $3,
    clock_timestamp() + interval '1 minute'
  FROM admin_key a WHERE a.id = $2`;
const IDENTIFY = `
  WITH found AS (
    SELECT s.id, s.label, s.role, s.scopes, s.organization_id, s.admin_key_id, s.member_id, s.last_seen_at,
      s.sign_in_digest IS NULL AS is_link, COALESCE(s.member_id, a.member_id) AS held_by,
      ${epochMs('s.expires_at')} AS expires_at, b.role AS member_role
    FROM dashboard_session s LEFT JOIN member b ON b.id = s.member_id LEFT JOIN admin_key a ON a.id = s.admin_key_id
    WHERE s.digest = $1 AND s.secure = $2 AND ${IS_OPEN}
  ), seen AS (
    UPDATE dashboard_session s SET last_seen_at = now() FROM found
    WHERE s.id = found.id AND found.last_seen_at < now() - interval '1 minute'
  )
  SELECT id, label, role, scopes, organization_id, admin_key_id, member_id, expires_at, is_link, held_by, member_role
  FROM found`;
const LONGEST_USER_AGENT = 300;

export function createDashboardSignIn(ports: SignInPorts): DashboardSignIn {
  const { database, digest, identifyAdmin } = ports;
  return {
    signIn: async (options) => {
      const { link, adminKey } = options;
      const admin = link === undefined && adminKey !== undefined ? await identifyAdmin(adminKey) : undefined;
      const secret = createDashboardSecret();
      const session = await database.transaction(async (client) => {
        const linkDigest = digest(link ?? createDashboardSecret());
        if (admin) {
          const id = createIdentifier('dash');
          await setActor(client, { actorId: id, requestId: options.requestId });
          await client.query({ text: CREATE, values: [id, admin.adminKeyId, linkDigest] });
        }
        return start(client, options, { linkDigest, digest: digest(secret) });
      });
      return { secret, session };
    },
    signInPerson: (options) => signInPerson(ports, options),
    findIdToken: (sessionId) => findIdToken(ports, sessionId),
    seal: ports.seal,
    identify: async (secret, isSecure) => {
      const values = [digest(secret), isSecure];
      const { rows } = await database.query<FoundSession>({ text: IDENTIFY, values });
      if (!rows[0]) throw createOver();
      return toCaller(rows[0]);
    },
  };
}

interface FoundSession {
  id: string;
  label: string;
  role: SessionRole | null;
  scopes: readonly string[];
  organization_id: string | null;
  admin_key_id: string | null;
  member_id: string | null;
  expires_at: number;
  member_role: MemberRole | null;
  is_link: boolean;
  held_by: string | null;
}

function toCaller(row: FoundSession): AdminCaller {
  const role = row.member_role === null ? row.role : toSessionRole(row.member_role);
  const isOwnOnly = role !== null && RIGHTS[role].within === 'member';
  return {
    actorId: row.id,
    expiresAt: row.expires_at,
    scopes: role === null ? row.scopes : scopesOf(row, role),
    ...(role !== null && { role }),
    ...(role !== null && !row.is_link && { person: row.label }),
    ...(row.held_by !== null && { heldBy: row.held_by }),
    ...(row.admin_key_id !== null && { adminKeyId: row.admin_key_id }),
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    ...(isOwnOnly && { memberId: row.member_id ?? '' }),
  };
}

/** A link may have less than the member who made it. */
function scopesOf({ is_link: isLink, scopes }: FoundSession, role: SessionRole): readonly string[] {
  const rights = RIGHTS[role].scopes;
  return isLink ? scopes.filter((scope) => hasScope(rights, scope)) : rights;
}

/** Uses a link up: of several that try it at once, one finds it. */
async function start(
  client: Queryable,
  { isSecure, userAgent, requestId }: SignIn,
  digests: { linkDigest: Buffer; digest: Buffer },
): Promise<DashboardSession> {
  const found = await client.query<{ id: string }>({ text: FIND_LINK, values: [digests.linkDigest] });
  const id = found.rows[0]?.id;
  if (id === undefined) throw createUsed();
  await setActor(client, { actorId: id, requestId });
  const agent = userAgent?.slice(0, LONGEST_USER_AGENT).toWellFormed().replaceAll('\0', '') ?? null;
  const values = [id, digests.digest, isSecure, agent];
  const { rows } = await client.query<object>({ text: START, values });
  if (!rows[0]) throw createUsed();
  return DASHBOARD_SESSION.read(rows[0]);
}

function createUsed(): GatewayError {
  return new GatewayError(
    'invalid_credential',
    'this link was used or has expired; run "npx sluice dashboard" for a new one',
    { param: 'link' },
  );
}

function createOver(): GatewayError {
  return new GatewayError('invalid_credential', 'this session of the dashboard has ended; sign in again', {
    param: 'cookie',
  });
}
