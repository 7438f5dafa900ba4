import type { PlanStatus } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { PLAN_TIERS } from '#accounts';
import { formatUsd } from '#base';
import { encodeTime, orNull, timeShape, usdShape } from './fields.ts';

export const planShape = Type.Object({
  object: Type.Literal('plan'),
  organization_id: Type.String(),
  plan: Type.Enum([...PLAN_TIERS, 'none']),
  price: Type.Optional(usdShape),
  credits_used: Type.Optional(usdShape),
  credits_limit: Type.Optional(usdShape),
  premium_used: Type.Optional(usdShape),
  premium_weekly_limit: Type.Optional(usdShape),
  premium_week_resets_at: Type.Optional(orNull(timeShape)),
  overflow: Type.Optional(Type.Boolean({ description: 'Credits pay for what the plan does not cover.' })),
  started_at: Type.Optional(timeShape),
  cycle_starts_at: Type.Optional(timeShape),
  cycle_ends_at: Type.Optional(timeShape),
});

export function encodePlan(organizationId: string, status: PlanStatus | undefined): JsonObject {
  const subject = { object: 'plan', organization_id: organizationId };
  if (!status) return { ...subject, plan: 'none' };
  const { premiumWeek } = status;
  return {
    ...subject,
    plan: status.plan,
    price: formatUsd(status.price),
    credits_used: formatUsd(status.creditsUsed),
    credits_limit: formatUsd(status.creditsLimit),
    premium_used: formatUsd(premiumWeek?.used ?? 0n),
    premium_weekly_limit: formatUsd(status.premiumWeeklyLimit),
    premium_week_resets_at: premiumWeek ? encodeTime(premiumWeek.resetsAt) : null,
    overflow: status.overflow,
    started_at: encodeTime(status.startedAt),
    cycle_starts_at: encodeTime(status.cycleStartsAt),
    cycle_ends_at: encodeTime(status.cycleEndsAt),
  };
}
