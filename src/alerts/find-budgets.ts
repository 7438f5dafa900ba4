import type { Database } from '#storage';
import type { Alert, AlertSettings, AlertType } from './alert.ts';
import { formatUsd } from '#base';

interface StoredBudget {
  meter_id: bigint;
  kind: string;
  subject_id: string;
  label: string | null;
  organization_id: string;
  lim: string;
  used: string;
  /** The highest threshold that is reached; null in alerts of another type. */
  percent: number | null;
  /** The amount of a forecast above the limit. */
  projected: string | null;
  /** When it refused a request. */
  refused_at: Date | null;
  starts_at: Date | null;
  ends_at: Date | null;
}

const DAY_MS = 86_400_000;
/** A pace is not known before this share of a period. */
const LEAST_ELAPSED = 0.1;

/**
 * Budgets in force that have reached a threshold, that will reach their limit before the end of their period at the pace
 * so far, or that refused a request, as they do before they are used up if the next request needs more than is left.
 * Credits used before the first grant count on neither side. Session tokens are left out.
 */
const FIND = `
  WITH budget AS (
    SELECT m.id AS meter_id, m.kind, m.subject_id, m.lim - m.used_before_grants AS lim, m.used - m.used_before_grants AS used,
      m.starts_at, m.ends_at, CASE WHEN m.ends_at > m.starts_at
        THEN extract(epoch FROM now() - m.starts_at) / extract(epoch FROM m.ends_at - m.starts_at) END AS elapsed
    FROM meter m
    WHERE m.lim > m.used_before_grants AND m.kind <> 'session'
      AND (m.ends_at IS NULL OR m.ends_at > now())
  ), found AS (
    SELECT b.*, (SELECT max(p.percent) FROM unnest($1::integer[]) AS p (percent) WHERE b.used * 100 >= b.lim * p.percent) AS percent,
      NULL::numeric AS projected, NULL::timestamptz AS refused_at
    FROM budget b WHERE b.used > 0
    UNION ALL
    SELECT b.*, NULL, round(b.used / b.elapsed), NULL FROM budget b
    WHERE $2 AND b.used > 0 AND b.elapsed >= ${LEAST_ELAPSED} AND b.used < b.lim AND b.used / b.elapsed >= b.lim
    UNION ALL
    SELECT b.*, NULL, NULL, r.refused_at FROM budget b JOIN meter m ON m.id = b.meter_id
    JOIN budget_refusal r ON r.meter_id = b.meter_id AND r.lim = m.lim
  )
  SELECT f.meter_id, f.kind, f.subject_id, COALESCE(k.label, p.name, b.name, o.name) AS label,
    COALESCE(p.organization_id, b.organization_id, o.id) AS organization_id,
    f.lim::text, f.used::text, f.percent, f.projected::text, f.refused_at, f.starts_at, f.ends_at
  FROM found f
  LEFT JOIN api_key k ON f.kind IN ('key', 'recurring') AND k.id = f.subject_id
  LEFT JOIN project p ON p.id = COALESCE(k.project_id, CASE WHEN f.kind IN ('project', 'project_recurring') THEN f.subject_id END)
  LEFT JOIN member b ON f.kind IN ('member', 'member_recurring') AND b.id = f.subject_id
  LEFT JOIN organization o ON f.kind IN ('credits', 'plan', 'premium', 'organization_recurring') AND o.id = f.subject_id
  WHERE (f.percent IS NOT NULL OR f.projected IS NOT NULL OR f.refused_at IS NOT NULL)
    AND COALESCE(k.deleted_at, p.removed_at, b.removed_at, o.removed_at) IS NULL`;

/** Meters whose limits have another name elsewhere. */
const BUDGETS: Readonly<Record<string, string>> = { recurring: 'key_recurring', premium: 'plan_premium' };

/** Alerts about budgets, each with the subject of its threshold, limit and period. */
export async function findBudgets(
  database: Database,
  { thresholds, forecast }: Pick<AlertSettings, 'thresholds' | 'forecast'>,
  now: number,
): Promise<Alert[]> {
  const { rows } = await database.query<StoredBudget>({ text: FIND, values: [thresholds, forecast] });
  return rows.map((row) => toAlert(row, now));
}

function toAlert(row: StoredBudget, now: number): Alert {
  const { meter_id: meterId, lim, percent, projected, ends_at: endsAt, starts_at: startsAt } = row;
  const refusedAt = row.refused_at;
  const [what, type] = describe(row);
  return {
    subject: `budget/${meterId}/${lim}/${what}`,
    type,
    data: {
      budget: BUDGETS[row.kind] ?? row.kind,
      subject_id: row.subject_id,
      subject_name: row.label,
      organization_id: row.organization_id,
      ...(percent !== null && { threshold_percent: percent }),
      used: formatUsd(BigInt(row.used)),
      limit: formatUsd(BigInt(lim)),
      ...(projected !== null && { projected: formatUsd(BigInt(projected)) }),
      ...(refusedAt && { refused_at: refusedAt.toISOString() }),
      period_start: startsAt?.toISOString() ?? null,
      period_end: endsAt?.toISOString() ?? null,
    },
    ...(endsAt && { expiresAt: new Date(Math.max(endsAt.getTime(), now) + 2 * DAY_MS) }),
  };
}

/** The last part of its subject, and its type. */
function describe({ percent, refused_at: refusedAt }: StoredBudget): [string, AlertType] {
  if (refusedAt) return ['refused', 'budget.request_refused'];
  return percent === null
    ? ['forecast', 'budget.forecast_exceeded']
    : [`${percent}`, 'budget.threshold_reached'];
}
