import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import {
  AMOUNT,
  amountField,
  closed,
  orNull,
  rateLimitsField,
  readAmount,
  recurringLimitField,
} from '../../../admin/fields.ts';
import { decodeRecurringLimit, encodeKey, keyShape } from '../../../admin/key-shape.ts';
import { decodeRateLimits } from '../../../admin/rate-limits.ts';
import { AN_END, readEnd } from '../../../admin/read-query.ts';

export const updateKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/keys/{id}',
  summary: 'Disable or enable an API key, or change its limits or its end: all of what is named, or nothing.',
  task: 'accounts:write',
  body: closed({
    disabled: Type.Optional(
      Type.Boolean({ description: 'true to disable the key at once, false to enable it' }),
    ),
    limit: Type.Optional(orNull(amountField, `${AMOUNT}, or null for no limit`)),
    recurring_limit: Type.Optional(
      orNull(recurringLimitField, 'an object of amount and period, or null for no limit'),
    ),
    rate_limits: Type.Optional(rateLimitsField),
    expires_at: Type.Optional(orNull(Type.String(), `${AN_END}, or null for never`)),
  }),
  answer: { description: 'The key as it is now.', schema: keyShape },
  handle: async ({ directory, id, body }) => {
    const {
      disabled,
      limit,
      recurring_limit: recurring,
      rate_limits: rateLimits,
      expires_at: expiresAt,
    } = body;
    if (disabled !== undefined) await (disabled ? directory.disableKey(id) : directory.enableKey(id));
    if (limit !== undefined)
      await directory.setKeyLimit(id, limit === null ? null : readAmount('limit', limit));
    if (recurring !== undefined)
      await directory.setRecurringLimit(id, recurring && decodeRecurringLimit(recurring));
    if (expiresAt !== undefined)
      await directory.setKeyExpiry(id, expiresAt === null ? null : readEnd('expires_at', expiresAt));
    if (rateLimits) await directory.setKeyRateLimits(id, decodeRateLimits(rateLimits));
    return encodeKey(await directory.getKey(id));
  },
});
