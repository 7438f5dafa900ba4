import { type PicoUsd, formatUsd } from '#base';
import { type ErrorCode, GatewayError } from '#errors';
import type { RecurringLimit } from '../../meters/recurring-limit.ts';
import type { MeterKind } from '../../meters/subject.ts';
import type { MeterFigures } from '../store/store-codec.ts';

interface RefusalTerms {
  /** The amount needed beyond what the request holds. */
  missing: PicoUsd;
  /** The period of a recurring limit. */
  period?: RecurringLimit['period'] | undefined;
  /** For the seconds until the reset. */
  nowMs?: number;
}

/** Why a request cannot be paid: the limit, what is left, what is needed, and whether and when a reset helps. */
export function createRefusal(meter: MeterFigures, terms: RefusalTerms): GatewayError {
  const { missing, period, nowMs } = terms;
  const { own = 0n } = meter;
  const needed = own + missing;
  const others = meter.held - own;
  const usd = (amount: PicoUsd): string => `${formatUsd(amount)} USD`;
  const left = meter.limit - meter.used;
  const reserved = others > 0n ? ` (of it ${usd(others)} is reserved by requests in progress)` : '';
  const need = `${usd(left > 0n ? left : 0n)} is left${reserved}, and this request may cost up to ${usd(needed)}.`;
  const [code, describe] = REASONS[meter.kind];
  const exceedsLimit = meter.resetsAt !== undefined && needed > meter.limit;
  // Without open holds it would fit: those end sooner than the period.
  const isReserved = left >= needed;
  const described = describe({
    use: `${usd(meter.limit)}${period === undefined ? '' : ` per ${period}`} and has used ${usd(meter.used)}: ${need}`,
    need,
    reset: meter.resetsAt === undefined ? undefined : new Date(meter.resetsAt).toISOString(),
  });
  return new GatewayError(
    code,
    exceedsLimit ? `${described} Waiting does not help: it may cost more than the whole limit.` : described,
    {
      shortage: { budget: meter.kind, left, needed },
      ...(nowMs !== undefined && !exceedsLimit && !isReserved && describeRetry(meter, nowMs)),
    },
  );
}

function describeRetry({ resetsAt }: MeterFigures, nowMs: number): { retryAfterSeconds?: number } {
  if (resetsAt === undefined) return {};
  return { retryAfterSeconds: Math.max(1, Math.ceil((resetsAt - nowMs) / 1_000)) };
}

interface Facts {
  /** The limit and the figures of `need`. */
  use: string;
  need: string;
  /** When the period ends. */
  reset: string | undefined;
}

const REASONS: Record<MeterKind, [ErrorCode, (facts: Facts) => string]> = {
  key: [
    'key_limit_reached',
    ({ use }) =>
      `This API key has a limit of ${use} The limit does not reset; it can be raised by the organization.`,
  ],
  recurring: ['key_limit_reached', describeRecurring('This API key', 'limit')],
  plan: [
    'plan_credits_exhausted',
    ({ use, reset }) =>
      `The organization's plan has credits of ${use} The plan renews at ${reset ?? 'the end of its cycle'}.`,
  ],
  premium: [
    'premium_allowance_exhausted',
    ({ use, reset }) =>
      `The organization's plan has a weekly allowance for premium models of ${use} ${
        reset === undefined ? 'No week is running: waiting does not help.' : `It resets at ${reset}.`
      } Other models can be used meanwhile.`,
  ],
  credits: [
    'credits_exhausted',
    ({ need }) =>
      `The organization's credits do not cover this request: ${need} Credits do not reset; they can be topped up.`,
  ],
  member: [
    'member_budget_reached',
    ({ use }) =>
      `The member this key belongs to has a budget of ${use} The budget does not reset; it can be raised by the organization.`,
  ],
  member_recurring: ['member_budget_reached', describeRecurring('The member this key belongs to', 'budget')],
  project: [
    'project_limit_reached',
    ({ use }) =>
      `The project of this key has a limit of ${use} The limit does not reset; it can be raised by the organization.`,
  ],
  project_recurring: ['project_limit_reached', describeRecurring('The project of this key', 'limit')],
  organization_recurring: ['organization_limit_reached', describeRecurring('The organization', 'limit')],
  session: [
    'session_budget_reached',
    ({ use }) =>
      `This session token has a budget of ${use} The budget does not reset; the application can make a new token.`,
  ],
};

function describeRecurring(who: string, noun: 'limit' | 'budget'): (facts: Facts) => string {
  return ({ use, reset }) =>
    `${who} has a recurring ${noun} of ${use} ${
      reset === undefined
        ? `Its period has not begun; the ${noun} can be raised by the organization.`
        : `It resets at ${reset}.`
    }`;
}
