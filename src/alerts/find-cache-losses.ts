import type { Database } from '#storage';
import type { Alert } from './alert.ts';
import { type PicoUsd, formatUsd } from '#base';

interface StoredLoss {
  organization_id: string;
  session_id: string;
  client_name: string | null;
  requests: number;
  tokens: number;
  lost: string;
  cost: string;
  reasons: { reason: string; requests: number; cost: string }[];
}

/** Sessions are looked at while they run, and for as long again. */
const WITHIN = '1 day';
const KEPT_MS = 30 * 86_400_000;
const MOST_SESSIONS = 100;
/** Sessions lose a smaller share of their cost than this when people think between turns. */
const LEAST_PERCENT = 20;

/** By reason first: only rows that missed the cache are read, and then those of the sessions that lost much. */
const FIND = `
  WITH missed AS (
    SELECT organization_id, session_id, miss_reason AS reason, count(*) AS requests,
      sum((cache_miss ->> 'tokens')::bigint) AS tokens, sum((cache_miss ->> 'cost')::numeric) AS lost
    FROM request_log
    WHERE miss_reason IS NOT NULL AND started_at >= now() - interval '${WITHIN}' AND session_id IS NOT NULL
    GROUP BY 1, 2, 3
  ), losing AS (
    SELECT organization_id, session_id, sum(requests)::float8 AS requests, sum(tokens)::float8 AS tokens, sum(lost) AS lost,
      jsonb_agg(jsonb_build_object('reason', reason, 'requests', requests, 'cost', lost::text) ORDER BY lost DESC, reason) AS reasons
    FROM missed GROUP BY 1, 2 HAVING sum(lost) >= $1::numeric ORDER BY sum(lost) DESC LIMIT ${MOST_SESSIONS}
  )
  SELECT l.organization_id, l.session_id, s.client_name, l.requests, l.tokens, l.lost::text, s.cost::text, l.reasons
  FROM losing l CROSS JOIN LATERAL (
    SELECT min(r.client_name) AS client_name, GREATEST(sum(r.customer_cost), sum(r.provider_cost)) AS cost
    FROM request_log r
    WHERE r.session_id = l.session_id AND r.organization_id = l.organization_id AND r.started_at >= now() - interval '${WITHIN}'
  ) AS s
  WHERE l.lost * 100 >= s.cost * ${LEAST_PERCENT}`;

/** Alerts about sessions that lost this share of their cost by missed prompt caches, one for each session. */
export async function findCacheLosses(
  database: Database,
  sessionLoss: PicoUsd,
  now: number,
): Promise<Alert[]> {
  const { rows } = await database.query<StoredLoss>({ text: FIND, values: [sessionLoss.toString()] });
  return rows.map((row) => ({
    subject: `session/${row.organization_id}/${row.session_id}`,
    type: 'session.cache_loss',
    data: {
      session_id: row.session_id,
      organization_id: row.organization_id,
      client_name: row.client_name,
      requests: row.requests,
      tokens: row.tokens,
      lost: formatUsd(BigInt(row.lost)),
      cost: formatUsd(BigInt(row.cost)),
      reasons: row.reasons.map(({ reason, requests, cost }) => ({
        reason,
        requests,
        cost: formatUsd(BigInt(cost)),
      })),
    },
    expiresAt: new Date(now + KEPT_MS),
  }));
}
