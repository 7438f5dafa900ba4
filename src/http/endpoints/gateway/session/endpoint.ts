import { toGatewayError } from '#errors';
import { openaiErrorSchema } from '#wire';
import { identifySession } from '../../../dashboard/identify-admin.ts';
import { encodeRights, rightsShape } from '../../../dashboard/rights.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

export const sessionEndpoint = defineEndpoint({
  method: 'GET',
  path: '/admin/v1/session',
  summary: 'What the session in the cookie may do.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'Its rights; none if the browser is not signed in.', schema: rightsShape },
    403: { description: 'Another site sent the request.', schema: openaiErrorSchema },
  },
  needs: ['accounts', 'checkOwnHost', 'issuer'],
  handle: async (call, ports) => {
    const caller = await identifySession(ports, call).catch((thrown: unknown) => {
      if (toGatewayError(thrown).code === 'invalid_credential') return undefined;
      throw thrown;
    });
    sendJson(call.reply, encodeRights(caller, ports.issuer()), { 'cache-control': 'no-store' });
  },
});
