import type { Call, HttpPorts } from '../../../endpoint.ts';
import { Type } from 'typebox';
import { orNull } from '../../../admin/fields.ts';
import { openaiErrorSchema } from '#wire';
import { identifySession } from '../../../dashboard/identify-admin.ts';
import { encodeRights, rightsShape } from '../../../dashboard/rights.ts';
import { readSessionCookie, writeSessionCookie } from '../../../dashboard/session-cookie.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { chooseRedirectUrl } from '../../../sign-in/redirect-url.ts';
import { sendJson } from '../../../send-json.ts';

const answerShape = Type.Object(
  {
    ...rightsShape.properties,
    sign_out_url: orNull(
      Type.String(),
      'Where the session at the OpenID provider ends; null if there is none, or no such address.',
    ),
  },
  { title: 'SignedOut' },
);

export const signOutEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/admin/v1/session',
  summary: 'End the session in the cookie.',
  auth: 'none',
  format: 'chat',
  responses: {
    200: { description: 'The browser is signed out.', schema: answerShape },
    401: { description: 'The session is over already.', schema: openaiErrorSchema },
    403: { description: 'Another site sent the request.', schema: openaiErrorSchema },
  },
  needs: ['accounts', 'checkOwnHost', 'issuer'],
  handle: async (call, ports) => {
    const { headers, reply } = call;
    const caller = await identifySession(ports, call);
    const url = caller?.person === undefined ? undefined : await findSignOut(ports, caller.actorId, headers);
    if (caller) await ports.accounts.directory.endDashboardSession(caller.actorId);
    const isSecure = readSessionCookie(headers)?.isSecure === true;
    const cookie = writeSessionCookie({ secret: '', isSecure }, String(headers['host']), 0);
    const answer = { ...encodeRights(undefined, ports.issuer()), sign_out_url: url ?? null };
    sendJson(reply, answer, { 'cache-control': 'no-store', 'set-cookie': cookie });
  },
});

/** Signing out here does not fail because the issuer does not answer. */
async function findSignOut(
  { accounts, issuer, checkOwnHost }: Pick<HttpPorts, 'accounts' | 'issuer' | 'checkOwnHost'>,
  sessionId: string,
  headers: Call['headers'],
): Promise<string | undefined> {
  const provider = issuer();
  if (!provider) return undefined;
  try {
    const dashboard = new URL('./', chooseRedirectUrl(provider, headers, checkOwnHost)).href;
    return await provider.findSignOut(await accounts.dashboard.findIdToken(sessionId), dashboard);
  } catch {
    return undefined;
  }
}
