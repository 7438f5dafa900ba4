import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import {
  amountField,
  closed,
  idField,
  nameField,
  rateLimitsField,
  readAmount,
  recurringLimitField,
} from '../../../admin/fields.ts';
import { decodeRecurringLimit, encodeKey, keyShape } from '../../../admin/key-shape.ts';
import { decodeFirstRateLimits } from '../../../admin/rate-limits.ts';
import { AN_END, readEnd } from '../../../admin/read-query.ts';

export const createKeyEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/keys',
  summary: 'Make an API key; its text (`secret`) is shown in this answer and never again.',
  task: 'accounts:write',
  body: closed({
    project_id: idField('its project'),
    label: nameField,
    limit: Type.Optional(amountField),
    recurring_limit: Type.Optional(recurringLimitField),
    rate_limits: Type.Optional(rateLimitsField),
    member_id: Type.Optional(idField('a member of the organization')),
    expires_at: Type.Optional(Type.String({ description: AN_END })),
  }),
  answer: {
    description: 'The key with its text.',
    schema: Type.Object({ secret: Type.String(), ...keyShape.properties }),
  },
  canMiss: true,
  handle: async ({ directory, body }) => {
    const { limit, recurring_limit: recurring, rate_limits: rateLimits, expires_at: expiresAt } = body;
    const { secret, key } = await directory.createKey({
      projectId: body.project_id,
      label: body.label,
      ...(limit !== undefined && { limit: readAmount('limit', limit) }),
      ...(recurring && { recurringLimit: decodeRecurringLimit(recurring) }),
      ...(rateLimits && { rateLimits: decodeFirstRateLimits(rateLimits) }),
      ...(body.member_id !== undefined && { memberId: body.member_id }),
      ...(expiresAt !== undefined && { expiresAt: readEnd('expires_at', expiresAt) }),
    });
    return { secret, ...encodeKey(key) };
  },
});
