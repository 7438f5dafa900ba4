import type { Organization } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { PLAN_TIERS } from '#accounts';
import { formatUsd } from '#base';
import { encodeTime, encodeUsd, orNull, rateLimitsShape, timeShape, usdShape } from './fields.ts';
import { encodeRateLimits } from './rate-limits.ts';

export const organizationShape = Type.Object({
  object: Type.Literal('organization'),
  id: Type.String(),
  name: Type.String(),
  plan: Type.Enum([...PLAN_TIERS, 'none']),
  usage: usdShape,
  balance: orNull(usdShape, 'Credits left; null while the organization is not metered.'),
  rate_limits: rateLimitsShape,
  created_at: timeShape,
});

export function encodeOrganization(organization: Organization): JsonObject {
  const { id, name, plan, usage, balance, rateLimits, createdAt } = organization;
  return {
    object: 'organization',
    id,
    name,
    plan,
    usage: formatUsd(usage),
    balance: encodeUsd(balance),
    rate_limits: encodeRateLimits(rateLimits),
    created_at: encodeTime(createdAt),
  };
}
