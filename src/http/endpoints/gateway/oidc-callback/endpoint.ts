import type { Call, HttpPorts } from '../../../endpoint.ts';
import { SAFE_HEADERS } from '../../../dashboard/send-file.ts';
import { writeSessionCookie } from '../../../dashboard/session-cookie.ts';
import { getIssuer } from '../../../sign-in/get-issuer.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { orMessage, pageSpec } from '../../../dashboard/message-page.ts';
import { recallPending } from '../../../dashboard/pending-sign-in.ts';
import { SIGN_IN_PATHS } from '../../../sign-in/redirect-url.ts';

export const oidcCallbackEndpoint = defineEndpoint({
  method: 'GET',
  path: SIGN_IN_PATHS.callback,
  summary:
    'Where the OpenID provider of `auth.oidc` sends a browser back to. Begins a session of the dashboard.',
  auth: 'none',
  format: 'chat',
  query: {
    code: 'From the provider.',
    state: 'From the provider, as it was sent there.',
    iss: 'The provider.',
    error: 'Why there is no code.',
  },
  responses: {
    303: { description: 'The dashboard. Sets the cookie of the session.' },
    401: pageSpec(
      'The sign-in was not begun in this browser, is too old or was used, or the answer is not valid.',
    ),
    403: pageSpec('No rule of `auth.oidc.access` gives the person a role.'),
    404: pageSpec('There is no `auth.oidc`.'),
    421: pageSpec('The `Host` of the request is not one of this gateway.'),
    502: pageSpec('The provider does not answer.'),
  },
  needs: ['accounts', 'checkOwnHost', 'clock', 'issuer'],
  handle: (call, ports) => orMessage(call, () => finish(call, ports)),
});

type Ports = Pick<HttpPorts, 'accounts' | 'checkOwnHost' | 'clock' | 'issuer'>;

async function finish({ headers, query, reply, requestId }: Call, ports: Ports): Promise<void> {
  const { accounts } = ports;
  const host = String(headers['host'] ?? '');
  ports.checkOwnHost(host, SIGN_IN_PATHS.callback);
  const issuer = getIssuer(ports);
  const pending = recallPending(ports, headers);
  const { person, idToken } = await issuer.finish(query, pending);
  const isSecure = pending.redirectUrl.startsWith('https:');
  const { access: rules, sessionMinutes } = issuer.settings;
  const { secret } = await accounts.dashboard.signInPerson({
    person,
    rules,
    state: pending.state,
    idToken,
    sessionMinutes,
    isSecure,
    userAgent: String(headers['user-agent'] ?? ''),
    requestId,
  });
  if (pending.earlier !== undefined)
    await accounts.directory.endDashboardSession(pending.earlier).catch(() => undefined);
  const answer = {
    ...SAFE_HEADERS,
    location: './',
    'set-cookie': writeSessionCookie({ secret, isSecure }, host, sessionMinutes * 60),
    'cache-control': 'no-store',
  };
  reply.send(303, answer, '');
}
