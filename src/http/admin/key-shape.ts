import type { KeyRecord, RecurringLimit } from '#accounts';
import type { JsonObject } from '#base';
import { type Static, Type } from 'typebox';
import { PERIODS } from '#accounts';
import { formatUsd } from '#base';
import {
  encodeTime,
  encodeUsd,
  orNull,
  rateLimitsShape,
  readAmount,
  type recurringLimitField,
  timeShape,
  usdShape,
} from './fields.ts';
import { encodeRateLimits } from './rate-limits.ts';

export const keyShape = Type.Object({
  object: Type.Literal('key'),
  id: Type.String(),
  organization_id: Type.String(),
  project_id: Type.String(),
  member_id: orNull(Type.String()),
  label: Type.String(),
  masked: Type.String({ description: '`slc_…abcd`' }),
  disabled: Type.Boolean(),
  usage: usdShape,
  limit: orNull(usdShape),
  recurring_limit: orNull(Type.Object({ amount: usdShape, period: Type.Enum([...PERIODS]) })),
  rate_limits: rateLimitsShape,
  created_at: timeShape,
  expires_at: orNull(timeShape),
  previous_secret_expires_at: orNull(timeShape),
  last_used_at: orNull(timeShape),
});

export function encodeKey(key: KeyRecord): JsonObject {
  const { recurringLimit } = key;
  return {
    object: 'key',
    id: key.id,
    organization_id: key.organizationId,
    project_id: key.projectId,
    member_id: key.memberId ?? null,
    label: key.label,
    masked: key.masked,
    disabled: key.disabled,
    usage: formatUsd(key.usage),
    limit: encodeUsd(key.limit),
    recurring_limit: recurringLimit && {
      amount: formatUsd(recurringLimit.amount),
      period: recurringLimit.period,
    },
    rate_limits: encodeRateLimits(key.rateLimits),
    created_at: encodeTime(key.createdAt),
    expires_at: key.expiresAt === undefined ? null : encodeTime(key.expiresAt),
    previous_secret_expires_at:
      key.previousSecretExpiresAt === undefined ? null : encodeTime(key.previousSecretExpiresAt),
    last_used_at: key.lastUsedAt === undefined ? null : encodeTime(key.lastUsedAt),
  };
}

export function decodeRecurringLimit({ amount, period }: Static<typeof recurringLimitField>): RecurringLimit {
  return { amount: readAmount('recurring_limit.amount', amount), period };
}
