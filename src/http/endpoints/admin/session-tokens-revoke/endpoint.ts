import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodeSessionToken, sessionTokenShape } from '../../../admin/session-token-shape.ts';

export const revokeSessionTokenEndpoint = defineAdminEndpoint({
  method: 'DELETE',
  path: '/admin/v1/session_tokens/{id}',
  summary: 'Revoke a session token: it opens nothing from now on.',
  task: 'accounts:write',
  answer: { description: 'The token as it is now.', schema: sessionTokenShape },
  handle: async ({ directory, id }) => encodeSessionToken(await directory.revokeSessionToken(id)),
});
