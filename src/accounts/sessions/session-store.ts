import type { StorePorts } from '../store-ports.ts';
import type { PicoUsd } from '#base';
import { GatewayError, createInvalid } from '#errors';
import { type RecordOf, amount, column, defineRecord, ifSet, moment } from '#storage';
import { createKeyText, maskKey, publicIdOf } from '../keys/key-text.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound, readAmount, readName } from '../read-input.ts';
import { readRule } from '../rules/read-rule.ts';

/** The lifetime of session tokens, in seconds. */
export const SESSION_TTL_SECONDS = { least: 60, most: 86_400, usual: 3_600 } as const;

const SESSIONS = {
  what: 'session token',
  type: defineRecord({
    id: column<string>('t.id'),
    keyId: column<string>('t.key_id'),
    organizationId: column<string>('p.organization_id'),
    projectId: column<string>('p.id'),
    /** `slcses_…abcd` */
    masked: column<string>('t.masked'),
    limit: amount('m.lim'),
    usage: amount('m.used'),
    /** The only models it may use; absent if it may use all its key's. */
    models: ifSet(column<string[]>('t.models')),
    /** The application's name for the end user. */
    endUserId: ifSet(column<string>('t.end_user_id')),
    createdAt: moment('t.created_at'),
    expiresAt: moment('t.expires_at'),
    revokedAt: ifSet(moment('t.revoked_at')),
  }),
  from: `session_token t JOIN api_key k ON k.id = t.key_id JOIN project p ON p.id = k.project_id
    JOIN meter m ON m.kind = 'session' AND m.subject_id = t.id`,
  where: '($1 OR (t.revoked_at IS NULL AND t.expires_at > clock_timestamp() AND k.deleted_at IS NULL))',
  table: 'session_token t',
  alias: 't',
  isNewestFirst: true,
};

/** A session token as listed, without its text. */
export type SessionToken = RecordOf<typeof SESSIONS.type>;

/** A new session token with its text, which is only shown here. */
export interface NewSessionToken {
  secret: string;
  session: SessionToken;
}

/** Short-lived credentials that a key creates for end users. They spend the key's money too, and expire with it. */
export interface SessionStore {
  createSessionToken(input: {
    keyId: string;
    /** The most it may spend. */
    limit: PicoUsd;
    /** 1 minute to 24 hours; an hour by default. */
    ttlSeconds?: number;
    models?: readonly string[];
    endUserId?: string;
  }): Promise<NewSessionToken>;
  getSessionToken(sessionTokenId: string): Promise<SessionToken>;
  /** Newest first; expired and revoked ones only if `ended` is set. */
  listSessionTokens(
    filter: { keyId?: string; organizationId?: string; ended?: boolean } & Page,
  ): Promise<SessionToken[]>;
  revokeSessionToken(sessionTokenId: string): Promise<SessionToken>;
}

type SessionStorePorts = Pick<StorePorts, 'database' | 'digest' | 'onChange'>;

const CREATE_SESSION = `
  WITH created AS (
    INSERT INTO session_token (id, key_id, digest, masked, models, end_user_id, expires_at)
    SELECT $1, k.id, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7)
    FROM api_key k WHERE k.id = $2 AND k.deleted_at IS NULL AND k.disabled_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    RETURNING id, key_id
  )
  INSERT INTO meter (kind, subject_id, lim, lock_row_id)
  SELECT 'session', created.id, $8, g.id FROM created JOIN meter g ON g.kind = 'key' AND g.subject_id = created.key_id
  RETURNING subject_id AS id`;

export function createSessionStore(ports: SessionStorePorts): SessionStore {
  const { database } = ports;
  const sessions = createRecords(database, SESSIONS);
  const getOne = (id: string): Promise<SessionToken> => sessions.get(id, [true]);
  return {
    createSessionToken: async (input) => {
      const { id, secret } = await createSession(ports, input);
      return { secret, session: await getOne(id) };
    },
    getSessionToken: getOne,
    listSessionTokens: ({ keyId, organizationId, ended = false, ...page }) => {
      const filters = { 't.key_id =': keyId, 'p.organization_id =': organizationId };
      return sessions.list(filters, page, [ended]);
    },
    revokeSessionToken: async (id) => {
      const text = 'UPDATE session_token SET revoked_at = COALESCE(revoked_at, now()) WHERE id = $1';
      const { rowCount } = await database.query({ text, values: [id] });
      if (rowCount === 0) throw createNotFound('session token');
      ports.onChange(`session_token:${id}`);
      return getOne(id);
    },
  };
}

async function createSession(
  { database, digest }: SessionStorePorts,
  input: Parameters<SessionStore['createSessionToken']>[0],
): Promise<{ id: string; secret: string }> {
  const { keyId, ttlSeconds = SESSION_TTL_SECONDS.usual, models, endUserId } = input;
  const { least, most } = SESSION_TTL_SECONDS;
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < least || ttlSeconds > most)
    throw createInvalid('ttlSeconds', `a whole number of seconds from ${least} to ${most}`);
  const secret = createKeyText('session');
  const id = `ses_${publicIdOf('session', secret)}`;
  const { rows } = await database.query({
    name: 'accounts_create_session',
    text: CREATE_SESSION,
    values: [
      id,
      keyId,
      digest(secret),
      maskKey('session', secret),
      models === undefined ? null : readModels(models),
      endUserId === undefined ? null : readName('user', endUserId),
      ttlSeconds,
      readAmount('limit', input.limit, 1n).toString(),
    ],
  });
  if (rows.length === 0)
    throw new GatewayError(
      'not_found',
      'there is no such key, or it is disabled or has expired: it cannot create session tokens',
      { missing: 'key' },
    );
  return { id, secret };
}

function readModels(models: readonly string[]): string[] {
  try {
    return readRule({ layer: 'session', type: 'allow-models', values: models });
  } catch {
    throw createInvalid('models', '1 to 100 names such as claude-sonnet-5-5, openai/gpt-5 or gpt-*');
  }
}
