import { identifySession } from '../../../dashboard/identify-admin.ts';
import { SAFE_HEADERS } from '../../../dashboard/send-file.ts';
import { getIssuer } from '../../../sign-in/get-issuer.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { orMessage, pageSpec } from '../../../dashboard/message-page.ts';
import { keepPending } from '../../../dashboard/pending-sign-in.ts';
import { SIGN_IN_PATHS, chooseRedirectUrl } from '../../../sign-in/redirect-url.ts';

export const oidcStartEndpoint = defineEndpoint({
  method: 'GET',
  path: SIGN_IN_PATHS.start,
  summary: 'Sends a browser to the OpenID provider of `auth.oidc`.',
  auth: 'none',
  format: 'chat',
  responses: {
    303: { description: 'The address at the provider. Sets a cookie that the callback needs.' },
    404: pageSpec('There is no `auth.oidc`.'),
    421: pageSpec(
      'The `Host` of the request is not one of this gateway, or not that of `auth.oidc.redirectUrl`.',
    ),
    502: pageSpec('The provider does not answer.'),
  },
  needs: ['accounts', 'checkOwnHost', 'clock', 'issuer'],
  handle: (call, ports) =>
    orMessage(call, async () => {
      const { headers, reply } = call;
      const issuer = getIssuer(ports);
      const redirectUrl = chooseRedirectUrl(issuer, headers, ports.checkOwnHost);
      const earlier = await identifySession(ports, call).catch(() => undefined);
      const { url, pending } = await issuer.begin(redirectUrl);
      const kept = { ...pending, ...(earlier && { earlier: earlier.actorId }) };
      const cookie = keepPending(ports, kept, String(headers['host']));
      const answer = { ...SAFE_HEADERS, location: url, 'set-cookie': cookie, 'cache-control': 'no-store' };
      reply.send(303, answer, '');
    }),
});
