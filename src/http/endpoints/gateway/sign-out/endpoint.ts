import { openaiErrorSchema } from '#wire';
import { identifySession } from '../../../dashboard/identify-admin.ts';
import { NOT_SIGNED_IN, rightsShape } from '../../../dashboard/rights.ts';
import { readSessionCookie, writeSessionCookie } from '../../../dashboard/session-cookie.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

export const signOutEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/admin/v1/session',
  summary: 'End the session in the cookie.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'The browser is signed out.', schema: rightsShape },
    401: { description: 'The session is over already.', schema: openaiErrorSchema },
    403: { description: 'Another site sent the request.', schema: openaiErrorSchema },
  },
  needs: ['accounts', 'checkOwnHost'],
  handle: async (call, ports) => {
    const { headers, reply } = call;
    const caller = await identifySession(ports, call);
    if (caller) await ports.accounts.directory.endDashboardSession(caller.actorId);
    const isSecure = readSessionCookie(headers)?.isSecure === true;
    const cookie = writeSessionCookie({ secret: '', isSecure }, String(headers['host']), 0);
    sendJson(reply, NOT_SIGNED_IN, { 'cache-control': 'no-store', 'set-cookie': cookie });
  },
});
