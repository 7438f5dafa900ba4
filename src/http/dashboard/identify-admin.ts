import type { AdminCaller } from '#accounts';
import type { Call, HttpPorts } from '../endpoint.ts';
import { hasCredential } from '#accounts';
import { identifyAdmin as identifyAdminKey } from '#pipeline';
import { requireOwnPage } from './own-page.ts';
import { readSessionCookie } from './session-cookie.ts';

type Ports = Pick<HttpPorts, 'accounts' | 'checkOwnHost'>;

/** The caller of an admin endpoint: by the admin key in the headers, else by the session in the cookie. */
export async function identifyAdmin(ports: Ports, call: Call): Promise<AdminCaller> {
  const session = hasCredential(call.headers) ? undefined : identifySession(ports, call);
  return (await session) ?? identifyAdminKey(ports.accounts, call.headers);
}

/**
 * The caller by the cookie alone, undefined without one. Throws `unknown_host` or `cross_site_request` if another site
 * may have sent it, and `invalid_credential` once the session is over.
 */
export async function identifySession(
  { accounts, checkOwnHost }: Ports,
  { headers, method, path }: Pick<Call, 'headers' | 'method' | 'path'>,
): Promise<AdminCaller | undefined> {
  const cookie = readSessionCookie(headers);
  if (!cookie) return undefined;
  checkOwnHost(String(headers['host']), path);
  requireOwnPage(headers, method);
  return accounts.dashboard.identify(cookie.secret, cookie.isSecure);
}
