import type { Accounts, DashboardSession } from '#accounts';
import type { Call } from '../../../endpoint.ts';
import { GatewayError } from '#errors';
import { openaiErrorSchema } from '#wire';
import { receive } from '#pipeline';
import { type Static, Type } from 'typebox';
import { createBodyReader } from '../../../admin/body-reader.ts';
import { requireOwnPage } from '../../../dashboard/own-page.ts';
import { readSessionCookie, writeSessionCookie } from '../../../dashboard/session-cookie.ts';
import { encodeRights, rightsShape } from '../../../dashboard/rights.ts';
import { isLocalHost } from '../../../sign-in/redirect-url.ts';
import { defineEndpoint } from '../../../endpoint.ts';

const bodySchema = Type.Object(
  {
    link: Type.Optional(Type.String({ description: 'the secret of a one-time link' })),
    admin_key: Type.Optional(Type.String({ description: 'an admin key' })),
  },
  { additionalProperties: false, title: 'SignIn' },
);
const readBody = createBodyReader(bodySchema);
const refusal = (description: string) => ({ description, schema: openaiErrorSchema });
/** Anyone can send one: far more than a credential takes, and too little to fill the memory for bodies. */
const MOST_BODY_BYTES = 4_096;
const PATH = '/admin/v1/session';

export const signInEndpoint = defineEndpoint({
  method: 'POST',
  path: PATH,
  summary:
    'Sign a browser in with a one-time link or an admin key. Sets a cookie that the other endpoints accept.',
  auth: 'none',
  format: 'chat',
  body: bodySchema,
  mostBodyBytes: MOST_BODY_BYTES,
  responses: {
    200: { description: 'The new session.', schema: rightsShape },
    400: refusal('A malformed request; the message names the path.'),
    401: refusal('The link is used or expired, or the admin key is wrong.'),
    403: refusal('Not a page of this gateway, or one that is loaded without TLS from another machine.'),
    413: refusal('The body is too large.'),
    421: refusal('The `Host` of the request is not one of this gateway.'),
  },
  needs: ['accounts', 'checkOwnHost', 'issuer'],
  handle: async (call, { accounts, checkOwnHost, issuer }) => {
    const { headers, requestId } = call;
    const host = String(headers['host'] ?? '');
    checkOwnHost(host, PATH);
    requireOwnPage(headers, 'POST');
    const isSecure = isOverTls(call);
    const credential = readSignIn(readBody((await receive(call.arrive(PATH, 'chat'))).body));
    const userAgent = String(headers['user-agent'] ?? '');
    const { secret, session } = await accounts.dashboard.signIn({
      ...credential,
      isSecure,
      userAgent,
      requestId,
    });
    await endEarlier(call, accounts);
    const ageSeconds = Math.floor((session.expiresAt - (session.startedAt ?? session.createdAt)) / 1_000);
    const answer = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'set-cookie': writeSessionCookie({ secret, isSecure }, host, ageSeconds),
    };
    call.reply.send(200, answer, JSON.stringify(encodeRights(toCaller(session), issuer())));
  },
});

function toCaller({ id, scopes, organizationId, expiresAt }: DashboardSession) {
  return { actorId: id, scopes, expiresAt, ...(organizationId !== undefined && { organizationId }) };
}

function readSignIn(body: unknown): { link: string } | { adminKey: string } {
  const { link, admin_key: adminKey } = body as Static<typeof bodySchema>;
  if (link !== undefined && adminKey === undefined) return { link };
  if (adminKey !== undefined && link === undefined) return { adminKey };
  throw new GatewayError('invalid_request', 'body: must have either "link" or "admin_key"', {
    param: 'body',
  });
}

/** A cookie without `Secure` is only for pages of this very machine. */
function isOverTls({ headers: { origin, host } }: Pick<Call, 'headers'>): boolean {
  if (String(origin).startsWith('https://')) return true;
  if (isLocalHost(String(host))) return false;
  throw new GatewayError(
    'cross_site_request',
    'over plain HTTP the dashboard opens on this machine only, as http://localhost; elsewhere put TLS before the gateway',
    { param: 'origin' },
  );
}

/** Signing in replaces the session that the browser had. */
async function endEarlier({ headers }: Call, { dashboard, directory }: Accounts): Promise<void> {
  const cookie = readSessionCookie(headers);
  const earlier = cookie && (await dashboard.identify(cookie.secret, cookie.isSecure).catch(() => undefined));
  if (earlier) await directory.endDashboardSession(earlier.actorId);
}
