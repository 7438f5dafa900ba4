import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { createListSchema, encodeList } from '../../../admin/list.ts';
import { encodeSessionToken, sessionTokenShape } from '../../../admin/session-token-shape.ts';

export const listSessionTokensEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/session_tokens',
  summary: 'List session tokens, newest first, never with their text; at most 1,000.',
  task: 'accounts:read',
  query: {
    organization_id: 'Only tokens of this organization.',
    key_id: 'Only tokens that this key made.',
    ended: '`true`: those that expired or were revoked too.',
  },
  answer: { description: 'The tokens.', schema: createListSchema(sessionTokenShape) },
  handle: async ({ directory, query }) => {
    const { organization_id: organizationId, key_id: keyId, ended } = query;
    const tokens = await directory.listSessionTokens({
      ...(organizationId !== undefined && { organizationId }),
      ...(keyId !== undefined && { keyId }),
      ended: ended === 'true',
    });
    return encodeList({ limit: tokens.length + 1 }, tokens.map(encodeSessionToken));
  },
});
