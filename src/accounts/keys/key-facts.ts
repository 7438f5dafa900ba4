import type { Clock } from '#base';
import type { Database } from '#storage';
import { epochMs } from '#storage';
import type { Caller } from '../caller.ts';
import type { MemberRole } from '../roles/roles.ts';
import { listRateLimits } from '../limits/rate-limits.ts';
import { recallBinding } from '../routing/recall-binding.ts';
import { recallByok } from '../byok/byok.ts';

/** The facts stored under the digest of a credential. */
export interface KeyFacts {
  caller: Caller;
  /** Why it is not valid; absent if it is. */
  refusal?: string;
  /**
   * When it expires, on the monotonic clock, computed from the database's clock at the read; and the refusal from
   * then on.
   */
  end?: { atMs: number; refusal: string };
}

interface FactsRow {
  digest: string;
  source: 'key' | 'previous' | 'session';
  id: string;
  label: string;
  project_id: string;
  organization_id: string;
  cache_ttl_seconds: number | null;
  payload_days: number | null;
  min_output_tokens: number | null;
  continue: boolean;
  cache_marks: boolean;
  disabled: boolean;
  deleted: boolean;
  member_id: string | null;
  role: MemberRole | null;
  member_removed: boolean;
  project_removed: boolean;
  organization_removed: boolean;
  session_id: string | null;
  end_user_id: string | null;
  revoked: boolean;
  expires_at: number | null;
  remaining_ms: number | null;
  /** Its own remaining time, for a replaced secret or a session token; that of the key applies too. */
  own_remaining_ms: number | null;
  key_limits: unknown;
  organization_limits: unknown;
  rules: string | null;
  project_routing: string | null;
  key_routing: string | null;
  byok: string | null;
}

/** Composes the statement that reads the credentials selected by `found`. */
const composeRead = (found: string): string => `
  SELECT wanted.digest, c.source, k.id, k.label, p.id AS project_id, p.organization_id, p.cache_ttl_seconds, p.payload_days,
    p.min_output_tokens, p.continue, p.cache_marks,
    k.disabled_at IS NOT NULL AS disabled, k.deleted_at IS NOT NULL AS deleted,
    k.member_id, b.role, b.removed_at IS NOT NULL AS member_removed,
    p.removed_at IS NOT NULL AS project_removed, o.removed_at IS NOT NULL AS organization_removed,
    c.session_id, c.end_user_id, c.revoked_at IS NOT NULL AS revoked,
    ${epochMs('LEAST(k.expires_at, c.expires_at)')} AS expires_at,
    (extract(epoch FROM k.expires_at - clock_timestamp()) * 1000)::float8 AS remaining_ms,
    (extract(epoch FROM c.expires_at - clock_timestamp()) * 1000)::float8 AS own_remaining_ms,
    p.routing::text AS project_routing, k.routing::text AS key_routing,
    k.rate_limits AS key_limits, o.rate_limits AS organization_limits,
    (SELECT jsonb_agg(jsonb_build_object('layer', r.layer, 'type', r.type, 'values', r.items) ORDER BY r.id)::text
      FROM (
        SELECT r.id, r.layer, r.type, r.items FROM access_rule r
        WHERE r.subject_id = ANY (ARRAY[k.id, p.id, p.organization_id]) AND r.organization_id = p.organization_id
        UNION ALL
        SELECT '', 'session', 'allow-models', c.models WHERE c.models IS NOT NULL
      ) AS r) AS rules,
    organization_byok(p.organization_id) AS byok
  FROM unnest($1::text[]) AS wanted (digest)
  CROSS JOIN LATERAL (${found}) AS c
  JOIN api_key k ON k.id = c.key_id
  JOIN project p ON p.id = k.project_id JOIN organization o ON o.id = p.organization_id
  LEFT JOIN member b ON b.id = k.member_id`;

const KEY = `
    SELECT 'key' AS source, id AS key_id, NULL AS session_id, NULL AS end_user_id, NULL::text[] AS models,
      NULL::timestamptz AS revoked_at, NULL::timestamptz AS expires_at
    FROM api_key WHERE`;

/** A digest belongs to a key's present secret, its previous secret, or a session token. */
const READ_FACTS = composeRead(`${KEY} api_key.digest = decode(wanted.digest, 'hex')
    UNION ALL
    SELECT 'previous', id, NULL, NULL, NULL, NULL, previous_expires_at
    FROM api_key WHERE previous_digest = decode(wanted.digest, 'hex')
    UNION ALL
    SELECT 'session', key_id, id, end_user_id, models, revoked_at, expires_at
    FROM session_token WHERE session_token.digest = decode(wanted.digest, 'hex')`);
const READ_BY_ID = composeRead(`${KEY} id = wanted.digest`);

/** By what credentials are found. */
export type FoundBy = 'digest' | 'id';

const READS = {
  digest: { name: 'accounts_read_keys', text: READ_FACTS },
  id: { name: 'accounts_read_keys_by_id', text: READ_BY_ID },
};

/** The facts of each digest or key id, in order; undefined for unknown ones. */
export async function readKeyFacts(
  { database, clock, by }: { database: Database; clock: Clock; by: FoundBy },
  wanted: readonly string[],
): Promise<(KeyFacts | undefined)[]> {
  const { rows } = await database.query<FactsRow>({ ...READS[by], values: [[...wanted]] });
  const nowMs = clock.monotonicMs();
  const found = new Map(rows.map((row) => [row.digest, toFacts(row, nowMs)]));
  return wanted.map((one) => found.get(one));
}

function toFacts(row: FactsRow, nowMs: number): KeyFacts {
  const facts: KeyFacts = { caller: toCaller(row) };
  const refusal = findRefusal(row);
  if (refusal !== undefined) facts.refusal = refusal;
  const ends = [
    { afterMs: row.own_remaining_ms, refusal: OWN_ENDS[row.source] },
    { afterMs: row.remaining_ms, refusal: 'the API key has expired' },
  ];
  for (const { afterMs, refusal: reported } of ends) {
    if (afterMs === null) continue;
    const atMs = nowMs + afterMs;
    if (facts.end === undefined || atMs < facts.end.atMs) facts.end = { atMs, refusal: reported };
  }
  return facts;
}

const OWN_ENDS: Record<FactsRow['source'], string> = {
  key: 'the API key has expired',
  previous: 'this secret of the API key was replaced by a new one and is no longer valid',
  session: 'the session token has expired',
};

function findRefusal(row: FactsRow): string | undefined {
  const { deleted, disabled, revoked } = row;
  if (row.organization_removed) return 'the organization of the API key was removed';
  if (row.project_removed) return 'the project of the API key was removed';
  if (revoked) return 'the session token was revoked';
  if (deleted) return 'the API key was deleted';
  if (row.member_removed) return 'the member that the API key belongs to was removed';
  return disabled ? 'the API key is disabled' : undefined;
}

function toCaller(row: FactsRow): Caller {
  const caller: Caller = {
    keyId: row.id,
    keyLabel: row.label,
    organizationId: row.organization_id,
    projectId: row.project_id,
  };
  if (row.member_id !== null) caller.memberId = row.member_id;
  if (row.role !== null) caller.role = row.role;
  if (row.session_id !== null) caller.sessionTokenId = row.session_id;
  if (row.end_user_id !== null) caller.endUserId = row.end_user_id;
  if (row.expires_at !== null) caller.expiresAt = row.expires_at;
  if (row.cache_ttl_seconds !== null) caller.cacheTtlSeconds = row.cache_ttl_seconds;
  if (row.payload_days !== null) caller.payloadDays = row.payload_days;
  if (row.min_output_tokens !== null) caller.minOutputTokens = row.min_output_tokens;
  if (row.continue) caller.continue = true;
  if (row.cache_marks) caller.cacheMarks = true;
  const { rules, routing } = recallBinding({
    rules: row.rules,
    projectRouting: row.project_routing,
    keyRouting: row.key_routing,
  });
  if (rules) caller.rules = rules;
  if (routing) caller.routing = routing;
  if (row.byok !== null) caller.byok = recallByok(row.byok);
  const limits = listRateLimits(
    { id: row.id, limits: row.key_limits },
    { id: row.organization_id, limits: row.organization_limits },
  );
  if (limits) caller.limits = limits;
  return caller;
}
