import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, rateLimitsField } from '../../../admin/fields.ts';
import { encodeOrganization, organizationShape } from '../../../admin/organization-shape.ts';
import { decodeRateLimits } from '../../../admin/rate-limits.ts';

export const updateOrganizationEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}',
  summary: 'Change what all keys of an organization together may do at most.',
  task: 'accounts:write',
  body: closed({ rate_limits: Type.Optional(rateLimitsField) }),
  answer: { description: 'The organization as it is now.', schema: organizationShape },
  handle: async ({ directory, id, body }) => {
    if (body.rate_limits) await directory.setOrganizationRateLimits(id, decodeRateLimits(body.rate_limits));
    return encodeOrganization(await directory.getOrganization(id));
  },
});
