import type { PicoUsd } from '#base';
import type { Queryable } from '#storage';
import type { WindowClock } from '../meters/window-clock.ts';
import type { PlanTier } from './plan-terms.ts';

/** A premium week in progress. */
interface PremiumWeek {
  used: PicoUsd;
  startsAt: number;
  /** Its end. Times are milliseconds since the Unix epoch. */
  resetsAt: number;
}

/** An organization's plan, and how much of it is used now. */
export interface PlanStatus {
  plan: PlanTier;
  price: PicoUsd;
  creditsUsed: PicoUsd;
  creditsLimit: PicoUsd;
  premiumWeeklyLimit: PicoUsd;
  /** Absent while no week is in progress. */
  premiumWeek?: PremiumWeek;
  /** Whether credits pay for what the plan does not cover. */
  overflow: boolean;
  startedAt: number;
  cycleStartsAt: number;
  /** When the plan renews. */
  cycleEndsAt: number;
}

/** Columns and joins for the plan of the organization `$1` at the moment `$2`, in a row that may have none. */
export const PLAN_COLUMNS = `
  s.plan, s.price::text, s.credits::text, s.premium::text, s.overflow,
  extract(epoch FROM s.started_at) * 1000 AS started_at,
  extract(epoch FROM y.starts_at) * 1000 AS cycle_starts_at, extract(epoch FROM y.ends_at) * 1000 AS cycle_ends_at,
  p.used::text AS credits_used, w.used::text AS premium_used,
  extract(epoch FROM w.starts_at) * 1000 AS week_starts_at, extract(epoch FROM w.ends_at) * 1000 AS week_ends_at`;
export const PLAN_JOINS = `
  CROSS JOIN ledger_now($2) AS moment
  LEFT JOIN subscription s ON s.organization_id = $1
  LEFT JOIN LATERAL plan_cycle(s.started_at, moment) AS y ON s.organization_id IS NOT NULL
  LEFT JOIN meter p ON p.kind = 'plan' AND p.subject_id = s.organization_id AND p.starts_at = y.starts_at
  LEFT JOIN LATERAL (
    SELECT * FROM meter m WHERE m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at >= moment
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true`;

export interface PlanRow {
  plan: PlanTier | null;
  price: string;
  credits: string;
  premium: string;
  overflow: boolean;
  started_at: string;
  cycle_starts_at: string;
  cycle_ends_at: string;
  credits_used: string | null;
  premium_used: string | null;
  week_starts_at: string;
  week_ends_at: string;
}

/** The plan of an organization; absent if it has none or does not exist. */
export async function findPlanStatus(
  database: Queryable,
  organizationId: string,
  windowClock?: WindowClock,
): Promise<PlanStatus | undefined> {
  const { rows } = await database.query<PlanRow>({
    text: `SELECT ${PLAN_COLUMNS} FROM organization o ${PLAN_JOINS} WHERE o.id = $1`,
    values: [organizationId, windowClock?.now() ?? null],
  });
  return rows[0] && toPlanStatus(rows[0]);
}

export function toPlanStatus(row: PlanRow): PlanStatus | undefined {
  if (row.plan === null) return undefined;
  return {
    plan: row.plan,
    price: BigInt(row.price),
    creditsUsed: BigInt(row.credits_used ?? '0'),
    creditsLimit: BigInt(row.credits),
    premiumWeeklyLimit: BigInt(row.premium),
    ...(row.premium_used !== null && {
      premiumWeek: {
        used: BigInt(row.premium_used),
        startsAt: toMilliseconds(row.week_starts_at),
        resetsAt: toMilliseconds(row.week_ends_at),
      },
    }),
    overflow: row.overflow,
    startedAt: toMilliseconds(row.started_at),
    cycleStartsAt: toMilliseconds(row.cycle_starts_at),
    cycleEndsAt: toMilliseconds(row.cycle_ends_at),
  };
}

function toMilliseconds(text: string): number {
  return Math.round(Number(text));
}
