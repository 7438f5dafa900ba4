import type { PicoUsd } from '#base';
import { parseUsd } from '#base';

export const PLAN_TIERS = ['lite', 'pro', 'max'] as const;

/** A coding plan an organization can subscribe to. */
export type PlanTier = (typeof PLAN_TIERS)[number];

/** The price and contents of a plan; set by the operator. */
export interface PlanTerms {
  /** Per month. */
  price: PicoUsd;
  /** The limit per billing cycle. */
  credits: PicoUsd;
  /** The part of it that premium models may use in a week. */
  premiumWeekly: PicoUsd;
}

export type PlanCatalogue = Record<PlanTier, PlanTerms>;

/** A plan as configured: USD as decimals, the premium share in percent of a cycle's credits. */
interface WrittenPlan {
  price: string;
  credits: string;
  premiumPercent: string;
}

const DEFAULTS: Record<PlanTier, WrittenPlan> = {
  lite: { price: '29', credits: '87', premiumPercent: '12' },
  pro: { price: '79', credits: '237', premiumPercent: '15' },
  max: { price: '179', credits: '537', premiumPercent: '18' },
};

/** The plans on offer: the defaults, overridden by the operator's. */
export function createPlanCatalogue(
  written: Partial<Record<PlanTier, Partial<WrittenPlan>>> = {},
): PlanCatalogue {
  const read = (tier: PlanTier): PlanTerms => readTerms({ ...DEFAULTS[tier], ...written[tier] });
  return { lite: read('lite'), pro: read('pro'), max: read('max') };
}

const HUNDRED_PERCENT = 100_000_000_000_000n;

function readTerms({ price, credits, premiumPercent }: WrittenPlan): PlanTerms {
  const amount = readDecimal(credits);
  return {
    price: readDecimal(price),
    credits: amount,
    premiumWeekly: (amount * readDecimal(premiumPercent)) / HUNDRED_PERCENT,
  };
}

function readDecimal(text: string): PicoUsd {
  const amount = parseUsd(text);
  if (amount === undefined || amount < 0n) throw new RangeError(`plans: "${text}" is not a decimal amount`);
  return amount;
}
