import type { HttpHeaders } from '#base';
import type { HttpPorts } from '../endpoint.ts';
import type { Issuer } from '../issuer.ts';
import { GatewayError } from '#errors';

/** Where sign-in begins and where issuers send browsers back to, below the gateway's address. */
export const SIGN_IN_PATHS = { start: '/dashboard/login', callback: '/dashboard/callback' } as const;

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a host is this machine itself, where browsers accept cookies without TLS. */
export function isLocalHost(host: string): boolean {
  return LOCAL.test(host);
}

/**
 * Where the issuer sends the browser back to: the configured URL, else one under the name in `Host`, which must be a
 * name of this machine or one of `server.hosts`. The browser must be there already, because its cookie is.
 */
export function chooseRedirectUrl(
  { settings }: Issuer,
  headers: HttpHeaders,
  checkOwnHost: HttpPorts['checkOwnHost'],
): string {
  const host = String(headers['host'] ?? '');
  checkOwnHost(host, SIGN_IN_PATHS.start);
  const { redirectUrl } = settings;
  if (redirectUrl === undefined)
    return new URL(SIGN_IN_PATHS.callback, `${isLocalHost(host) ? 'http' : 'https'}://${host}`).href;
  if (new URL(redirectUrl).host !== host.toLowerCase()) {
    throw new GatewayError(
      'unknown_host',
      `Sign in at ${new URL('./', redirectUrl).href}: ${settings.name} redirects browsers there.`,
      { param: 'host' },
    );
  }
  return redirectUrl;
}

/** How the page names the way in, and where it is; a configured address may be another than that of the page. */
export function describeSignIn(issuer: Issuer | undefined): { name: string; url: string } | null {
  if (!issuer) return null;
  const { name, redirectUrl } = issuer.settings;
  return { name, url: redirectUrl === undefined ? 'login' : new URL('login', redirectUrl).href };
}
