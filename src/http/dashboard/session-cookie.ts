import type { HttpHeaders } from '#base';
import { isLocalHost } from '../sign-in/redirect-url.ts';

/** The cookie of a session of the dashboard. */
interface SessionCookie {
  secret: string;
  /** Whether browsers send it over TLS only. */
  isSecure: boolean;
}

const SESSION = 'sluice_session';
const SIGN_IN = 'sluice_sign_in';
/** Browsers accept this prefix only with `Secure`, `Path=/` and no `Domain`: no other host can set it. */
const SECURE_PREFIX = '__Host-';
const PORT = /:(\d{1,5})$/;
const SECRET = /^[0-9A-Za-z]{43}$/;
const SEALED = /^[\w-]{1,3000}$/;

/** Cookies do not distinguish ports, and a machine may run several gateways. */
function plainName(name: string, host: string): string {
  return `${name}_${PORT.exec(host)?.[1] ?? '80'}`;
}

/** A cookie of a request. One without the prefix, which a site of a neighbouring name can set, counts on this machine only. */
function readCookie(
  { cookie, host }: HttpHeaders,
  name: string,
): { value: string; isSecure: boolean } | undefined {
  if (typeof cookie !== 'string') return undefined;
  const find = (wanted: string): string | undefined =>
    cookie
      .split(';')
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(`${wanted}=`))
      ?.slice(wanted.length + 1);
  const secure = find(SECURE_PREFIX + name);
  const value = secure ?? (isLocalHost(String(host)) ? find(plainName(name, String(host))) : undefined);
  return value === undefined ? undefined : { value, isSecure: secure !== undefined };
}

/** The session's cookie of a request. */
export function readSessionCookie(headers: HttpHeaders): SessionCookie | undefined {
  const cookie = readCookie(headers, SESSION);
  return cookie && SECRET.test(cookie.value)
    ? { secret: cookie.value, isSecure: cookie.isSecure }
    : undefined;
}

/** The header that sets the cookie for this many seconds; 0 removes it. */
export function writeSessionCookie(
  { secret, isSecure }: SessionCookie,
  host: string,
  maxAgeSeconds: number,
): string {
  const name = isSecure ? SECURE_PREFIX + SESSION : plainName(SESSION, host);
  return `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
}

/** The state that a browser keeps during a sign-in at an OpenID provider. */
export function readSignInCookie(headers: HttpHeaders): string | undefined {
  const value = readCookie(headers, SIGN_IN)?.value;
  return value !== undefined && SEALED.test(value) ? value : undefined;
}

/** `Lax`, because the browser comes back by a link of another site. */
export function writeSignInCookie(
  { value, isSecure }: { value: string; isSecure: boolean },
  host: string,
  maxAgeSeconds: number,
): string {
  const name = isSecure ? SECURE_PREFIX + SIGN_IN : plainName(SIGN_IN, host);
  return `${name}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
}
