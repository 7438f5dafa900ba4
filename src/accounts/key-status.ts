import { type PicoUsd, encodeTime, formatUsd } from '#base';
import { GatewayError } from '#errors';
import type { Database } from '#storage';
import {
  type CallerLimit,
  LIMITS_OF_CALLER,
  type LimitRow,
  formatRemaining,
  listLimitOwners,
  toCallerLimits,
} from './budgets/limits-of-caller.ts';
import type { Caller } from './caller.ts';
import type { WindowClock } from './meters/window-clock.ts';
import {
  PLAN_COLUMNS,
  PLAN_JOINS,
  type PlanRow,
  type PlanStatus,
  toPlanStatus,
} from './plans/plan-status.ts';
import type { PlanTier } from './plans/plan-terms.ts';

/** The figures of `GET /v1/key`: amounts as decimal strings of USD, times in ISO 8601. */
interface KeyFigures {
  label: string;
  usage: string;
  limit: string | null;
  /** What is left of `limit`. */
  remaining: string | null;
  limits: CallerLimit[];
  devPlan: PlanTier | 'none';
  devPlanCreditsUsed: string;
  devPlanCreditsLimit: string;
  devPlanCreditsRemaining: string;
  devPlanPremiumWeeklyLimit: string;
  devPlanPremiumCreditsUsed: string;
  devPlanPremiumWeekResetsAt: string | null;
}

export interface KeyStatus extends KeyFigures {
  /** False if another process has not reported in time what it has charged. */
  isCurrent: boolean;
}

const READ_FIGURES = `
  SELECT k.label, m.used::text AS used, m.lim::text AS lim, ${PLAN_COLUMNS},
    ${LIMITS_OF_CALLER} AS limits
  FROM api_key k JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id ${PLAN_JOINS}
  WHERE k.id = $3`;

type FiguresRow = PlanRow & { label: string; used: string; lim: string | null; limits: LimitRow[] };

/** Reads the figures from the ledger. */
export async function readKeyFigures(
  database: Database,
  caller: Caller,
  windowClock?: WindowClock,
): Promise<KeyFigures> {
  const { rows } = await database.query<FiguresRow>({
    name: 'accounts_key_status',
    text: READ_FIGURES,
    values: [caller.organizationId, windowClock?.now() ?? null, caller.keyId, listLimitOwners(caller)],
  });
  const figures = rows[0];
  if (figures === undefined) throw new GatewayError('invalid_credential', 'the API key is unknown');
  return {
    label: figures.label,
    usage: formatUsd(BigInt(figures.used)),
    limit: figures.lim === null ? null : formatUsd(BigInt(figures.lim)),
    remaining: figures.lim === null ? null : formatRemaining(figures.lim, figures.used),
    limits: toCallerLimits(figures.limits),
    ...describePlan(toPlanStatus(figures)),
  };
}

type PlanFigures = Omit<KeyFigures, 'label' | 'usage' | 'limit' | 'remaining' | 'limits'>;

const NO_PLAN: PlanFigures = {
  devPlan: 'none',
  devPlanCreditsUsed: '0',
  devPlanCreditsLimit: '0',
  devPlanCreditsRemaining: '0',
  devPlanPremiumWeeklyLimit: '0',
  devPlanPremiumCreditsUsed: '0',
  devPlanPremiumWeekResetsAt: null,
};

function describePlan(status: PlanStatus | undefined): PlanFigures {
  if (status === undefined) return NO_PLAN;
  const { creditsUsed, creditsLimit, premiumWeeklyLimit, premiumWeek } = status;
  return {
    devPlan: status.plan,
    devPlanCreditsUsed: formatUsd(creditsUsed),
    devPlanCreditsLimit: formatUsd(creditsLimit),
    devPlanCreditsRemaining: formatCents(creditsLimit > creditsUsed ? creditsLimit - creditsUsed : 0n),
    devPlanPremiumWeeklyLimit: formatCents(premiumWeeklyLimit),
    devPlanPremiumCreditsUsed: formatCents((premiumWeek?.used ?? 0n) + HALF_CENT),
    devPlanPremiumWeekResetsAt: encodeTime(premiumWeek?.resetsAt),
  };
}

const CENT = 10_000_000_000n;
const HALF_CENT = CENT / 2n;

/** USD with two decimals, rounded down. */
function formatCents(amount: PicoUsd): string {
  const text = (amount / CENT).toString().padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}
