import type { Database, Queryable } from '#storage';
import type { AdminCaller } from '../admin-key.ts';
import type { DigestKey } from '../keys/key-digest.ts';
import { createIdentifier } from '#base';
import { GatewayError } from '#errors';
import {
  DASHBOARD_COLUMNS,
  type DashboardRow,
  IS_OPEN,
  createDashboardSecret,
  toDashboardSession,
} from './dashboard-book.ts';
import { DASHBOARD_MINUTES, type DashboardSession } from './dashboard-session.ts';

/** A browser that signs in: with the secret of a one-time link, or with an admin key. */
export interface SignIn {
  link?: string;
  adminKey?: string;
  /** Whether the page was loaded over TLS; its cookie is then accepted only over TLS. */
  isSecure: boolean;
  userAgent?: string | undefined;
  requestId: string;
}

/** How browsers become administrators: each has a session of its own, under a secret that is only in its cookie. */
export interface DashboardEntrance {
  /** Throws `invalid_credential` for a link that is unknown, used or expired, or for a wrong admin key. */
  signIn(options: SignIn): Promise<{ secret: string; session: DashboardSession }>;
  /** The caller of a cookie; throws `invalid_credential` once its session is over. */
  identify(secret: string, isSecure: boolean): Promise<AdminCaller>;
}

interface EntrancePorts {
  database: Database;
  digest: DigestKey;
  identifyAdmin(credential: string): Promise<AdminCaller>;
}

const SET_ACTOR = `SELECT set_config('sluice.actor', $1, true), set_config('sluice.request_id', $2, true)`;
const FIND_LINK = `SELECT s.id FROM dashboard_session s WHERE s.link_digest = $1 AND ${IS_OPEN} FOR UPDATE`;
const STARTED = `started_at = now(), last_seen_at = now(),
  expires_at = clock_timestamp() + make_interval(mins => ${DASHBOARD_MINUTES.session})`;
const START = `
  UPDATE dashboard_session s SET link_digest = NULL, digest = $2, secure = $3, user_agent = $4, ${STARTED}
  WHERE s.id = $1 RETURNING ${DASHBOARD_COLUMNS}`;
const CREATE = `
  INSERT INTO dashboard_session (id, label, scopes, organization_id, admin_key_id, link_digest, expires_at)
  SELECT $1, left('admin key ' || a.label, 200), a.scopes, a.organization_id, a.id, $3,
    clock_timestamp() + interval '1 minute'
  FROM admin_key a WHERE a.id = $2`;
const IDENTIFY = `
  WITH found AS (
    SELECT s.id, s.scopes, s.organization_id, s.admin_key_id, s.last_seen_at FROM dashboard_session s
    WHERE s.digest = $1 AND s.secure = $2 AND ${IS_OPEN}
  ), seen AS (
    UPDATE dashboard_session s SET last_seen_at = now() FROM found
    WHERE s.id = found.id AND found.last_seen_at < now() - interval '1 minute'
  )
  SELECT id, scopes, organization_id, admin_key_id FROM found`;
const LONGEST_USER_AGENT = 300;

export function createDashboardEntrance(ports: EntrancePorts): DashboardEntrance {
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
          await client.query({ text: SET_ACTOR, values: [id, options.requestId] });
          await client.query({ text: CREATE, values: [id, admin.adminKeyId, linkDigest] });
        }
        return start(client, options, { linkDigest, digest: digest(secret) });
      });
      return { secret, session };
    },
    identify: async (secret, isSecure) => {
      type Found = Pick<DashboardRow, 'id' | 'scopes' | 'organization_id' | 'admin_key_id'>;
      const values = [digest(secret), isSecure];
      const { rows } = await database.query<Found>({ text: IDENTIFY, values });
      const [row] = rows;
      if (!row) throw createOver();
      return {
        actorId: row.id,
        scopes: row.scopes,
        ...(row.admin_key_id !== null && { adminKeyId: row.admin_key_id }),
        ...(row.organization_id !== null && { organizationId: row.organization_id }),
      };
    },
  };
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
  await client.query({ text: SET_ACTOR, values: [id, requestId] });
  const agent = userAgent?.slice(0, LONGEST_USER_AGENT).toWellFormed().replaceAll('\0', '') ?? null;
  const values = [id, digests.digest, isSecure, agent];
  const { rows } = await client.query<DashboardRow>({ text: START, values });
  if (!rows[0]) throw createUsed();
  return toDashboardSession(rows[0]);
}

function createUsed(): GatewayError {
  return new GatewayError(
    'invalid_credential',
    'this link was used or has expired; "npx sluice dashboard" makes another',
    { param: 'link' },
  );
}

function createOver(): GatewayError {
  return new GatewayError('invalid_credential', 'this session of the dashboard has ended; sign in again', {
    param: 'cookie',
  });
}
