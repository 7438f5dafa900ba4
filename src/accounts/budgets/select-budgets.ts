/** The kinds of budgets; session tokens, which end within a day, have a list of their own. */
export const BUDGET_KINDS = [
  'key',
  'key_recurring',
  'member',
  'member_recurring',
  'project',
  'project_recurring',
  'organization_recurring',
  'credits',
  'plan',
  'plan_premium',
] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

const NO_PERIOD = 'NULL::timestamptz AS starts_at, NULL::timestamptz AS ends_at';
const OF_KEY = 'k.id AS subject_id, k.label AS name, p.organization_id, p.id AS project_id, k.member_id';
const OF_MEMBER = 'b.id, b.name, b.organization_id, NULL, b.id';
const OF_PROJECT = 'p.id, p.name, p.organization_id, p.id, NULL';
const OF_ORGANIZATION = 'o.id, o.name, o.id, NULL, NULL';
const KEYS = `api_key k JOIN project p ON p.id = k.project_id`;
const IS_USABLE = `k.deleted_at IS NULL AND k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock.now)`;

/** The period in progress of a limit that renews, if a request has opened one. */
const joinPeriod = (kind: string, subject: string): string => `LEFT JOIN LATERAL (
    SELECT id, used, held, starts_at, ends_at FROM meter
    WHERE kind = '${kind}' AND subject_id = ${subject} AND ends_at >= clock.now ORDER BY starts_at DESC LIMIT 1
  ) AS w ON true`;
const OF_PERIOD = 'COALESCE(w.used, 0), COALESCE(w.held, 0), w.starts_at, w.ends_at, w.id';

/** Limits in force, with their usage; `clock` has the time. */
export const LIMITS = `
  SELECT 'key' AS kind, ${OF_KEY}, m.lim, m.used, m.held, ${NO_PERIOD}, m.id AS meter_id
  FROM ${KEYS} JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id CROSS JOIN clock
  WHERE m.lim IS NOT NULL AND ${IS_USABLE}
  UNION ALL
  SELECT 'key_recurring', ${OF_KEY}, r.lim, ${OF_PERIOD}
  FROM ${KEYS} JOIN recurring_limit r ON r.key_id = k.id CROSS JOIN clock ${joinPeriod('recurring', 'k.id')}
  WHERE ${IS_USABLE}
  UNION ALL
  SELECT 'member', ${OF_MEMBER}, m.lim, m.used, m.held, NULL, NULL, m.id
  FROM member b JOIN meter m ON m.kind = 'member' AND m.subject_id = b.id WHERE m.lim IS NOT NULL AND b.removed_at IS NULL
  UNION ALL
  SELECT 'member_recurring', ${OF_MEMBER}, b.recurring_lim, ${OF_PERIOD}
  FROM member b CROSS JOIN clock ${joinPeriod('member_recurring', 'b.id')}
  WHERE b.recurring_lim IS NOT NULL AND b.removed_at IS NULL
  UNION ALL
  SELECT 'project', ${OF_PROJECT}, m.lim, m.used, m.held, NULL, NULL, m.id
  FROM project p JOIN meter m ON m.kind = 'project' AND m.subject_id = p.id WHERE m.lim IS NOT NULL AND p.removed_at IS NULL
  UNION ALL
  SELECT 'project_recurring', ${OF_PROJECT}, s.lim, ${OF_PERIOD}
  FROM project p JOIN shared_limit s ON s.subject_id = p.id AND s.kind = 'project_recurring' CROSS JOIN clock ${joinPeriod('project_recurring', 'p.id')}
  WHERE p.removed_at IS NULL
  UNION ALL
  SELECT 'organization_recurring', ${OF_ORGANIZATION}, s.lim, ${OF_PERIOD}
  FROM organization o JOIN shared_limit s ON s.subject_id = o.id CROSS JOIN clock
  ${joinPeriod('organization_recurring', 'o.id')}
  WHERE o.removed_at IS NULL
  UNION ALL
  SELECT 'credits', ${OF_ORGANIZATION}, m.lim - m.used_before_grants, m.used - m.used_before_grants, m.held, NULL, NULL, m.id
  FROM organization o JOIN meter m ON m.kind = 'credits' AND m.subject_id = o.id WHERE m.lim > m.used_before_grants
    AND o.removed_at IS NULL
  UNION ALL
  SELECT 'plan', ${OF_ORGANIZATION}, s.credits, COALESCE(m.used, 0), COALESCE(m.held, 0), y.starts_at, y.ends_at, m.id
  FROM organization o JOIN subscription s ON s.organization_id = o.id CROSS JOIN clock
  CROSS JOIN LATERAL plan_cycle(s.started_at, clock.now) AS y
  LEFT JOIN meter m ON m.kind = 'plan' AND m.subject_id = o.id AND m.starts_at = y.starts_at
  WHERE o.removed_at IS NULL
  UNION ALL
  SELECT 'plan_premium', ${OF_ORGANIZATION}, s.premium, ${OF_PERIOD}
  FROM organization o JOIN subscription s ON s.organization_id = o.id CROSS JOIN clock ${joinPeriod('premium', 'o.id')}
  WHERE o.removed_at IS NULL`;

const SINCE = `usage_hour_of(clock.now - interval '23 hours')`;

const OF_ORGANIZATION_ASKED = '($2::text IS NULL OR organization_id = $2)';

/**
 * What the last 24 hours cost, by project, key and member: hours that are counted by member, and rows of the others. `OFFSET 0`:
 * each span is looked up; as a join, all rows of the log would seem as cheap.
 */
const SPENT = `
  SELECT u.organization_id, u.project_id, u.key_id, u.member_id, u.customer_cost
  FROM clock CROSS JOIN log_state s CROSS JOIN LATERAL (
    SELECT organization_id, project_id, key_id, member_id, customer_cost FROM usage_hour_client
    WHERE hour >= GREATEST(${SINCE}, s.detailed_from) AND hour < s.counted_through AND ${OF_ORGANIZATION_ASKED} OFFSET 0
  ) AS u
  UNION ALL
  SELECT l.organization_id, l.project_id, l.key_id, COALESCE(l.member_id, ''), l.customer_cost
  FROM clock CROSS JOIN log_state s CROSS JOIN LATERAL (VALUES
    (GREATEST(${SINCE}, s.counted_through), 'infinity'), (${SINCE}, LEAST(s.detailed_from, s.counted_through))
  ) AS open (since, until) CROSS JOIN LATERAL (
    SELECT organization_id, project_id, key_id, member_id, customer_cost FROM request_log
    WHERE started_at >= open.since AND started_at < open.until AND ${OF_ORGANIZATION_ASKED} OFFSET 0
  ) AS l`;

/** A period that has just begun is too short to estimate its pace. */
const LEAST_ELAPSED = '0.1';

/** How long the rest lasts; NULL beyond a year, because no interval holds how long it lasts where hardly anything is spent. */
const LASTS = (alias: string): string => `CASE WHEN ${alias}.remaining < ${alias}.pace * 366
      THEN (${alias}.remaining / ${alias}.pace) * interval '24 hours' END`;

/** When credits run out after a plan no longer covers requests. */
const AFTER_PLAN = `(p.runs_out + ${LASTS('a')})`;

/**
 * All budgets that fit the conditions, as `paced`: the pace of a periodic budget is measured in its period, that of
 * others over the last 24 hours. Credits next to a plan are used once it is used up, until it renews. `$1` is the time,
 * `$2` the organization.
 */
export const BUDGETS = (conditions: string): string => `
  WITH clock AS MATERIALIZED (SELECT ledger_now($1) AS now),
  budget AS MATERIALIZED (SELECT * FROM (${LIMITS}) AS l WHERE true${conditions}),
  spent AS MATERIALIZED (
    SELECT organization_id, project_id, key_id, member_id, sum(customer_cost) AS cost FROM (${SPENT}) AS s GROUP BY 1, 2, 3, 4),
  spent_by AS (
    SELECT 'key' AS kind, key_id AS subject_id, sum(cost) AS cost FROM spent GROUP BY 2
    UNION ALL SELECT 'member', member_id, sum(cost) FROM spent GROUP BY 2
    UNION ALL SELECT 'project', project_id, sum(cost) FROM spent GROUP BY 2
    UNION ALL SELECT 'credits', organization_id, sum(cost) FROM spent GROUP BY 2),
  known AS (
    SELECT b.*, GREATEST(b.lim - b.used, 0) AS remaining, round(CASE WHEN b.starts_at IS NULL THEN COALESCE(d.cost, 0)
      ELSE b.used * 86400 / GREATEST(extract(epoch FROM clock.now - b.starts_at),
        extract(epoch FROM b.ends_at - b.starts_at) * ${LEAST_ELAPSED}) END) AS pace
    FROM budget b CROSS JOIN clock LEFT JOIN spent_by d USING (kind, subject_id)),
  alone AS (
    SELECT k.*, CASE WHEN remaining = 0 THEN clock.now ELSE clock.now + ${LASTS('k')} END AS runs_out
    FROM known k CROSS JOIN clock),
  placed AS (
    SELECT a.kind, a.subject_id, a.name, a.organization_id, a.project_id, a.member_id, a.lim, a.used, a.held, a.remaining,
      a.starts_at, a.ends_at, a.meter_id, p.ends_at AS plan_renews,
      CASE WHEN p.kind IS NULL OR (s.overflow AND p.remaining = 0) THEN a.pace ELSE 0 END AS pace,
      CASE WHEN p.kind IS NULL OR a.remaining = 0 THEN a.runs_out WHEN s.overflow AND ${AFTER_PLAN} < p.ends_at THEN ${AFTER_PLAN} END
        AS runs_out
    FROM alone a CROSS JOIN clock
    LEFT JOIN alone p ON a.kind = 'credits' AND p.kind = 'plan' AND p.subject_id = a.subject_id
    LEFT JOIN subscription s ON s.organization_id = p.subject_id),
  paced AS (
    SELECT kind || '/' || subject_id AS id, kind, subject_id, name, organization_id, project_id, member_id, lim, used, held,
      remaining, pace, starts_at, ends_at, plan_renews,
      (SELECT r.refused_at FROM budget_refusal r JOIN meter m ON m.id = r.meter_id AND m.lim = r.lim
        WHERE r.meter_id = placed.meter_id) AS refused_at,
      CASE WHEN ends_at IS NULL OR runs_out < ends_at THEN runs_out END AS runs_out_at,
      CASE WHEN ends_at IS NULL OR runs_out < ends_at THEN COALESCE(runs_out, 'infinity') ELSE 'infinity' END AS ends
    FROM placed)`;
