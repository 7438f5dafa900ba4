import type { RequestHeaders } from '#wire';

/** The cookie of a session of the dashboard. */
export interface SessionCookie {
  secret: string;
  /** Whether browsers send it over TLS only. */
  isSecure: boolean;
}

/** Browsers accept this prefix only with `Secure`, `Path=/` and no `Domain`: no other host can set it. */
const SECURE_NAME = '__Host-sluice_session';
const SHARED = 'HttpOnly; SameSite=Strict; Path=/';
const PORT = /:(\d{1,5})$/;
const SECRET = /^[0-9A-Za-z]{43}$/;

/** Cookies do not distinguish ports, and a machine may run several gateways. */
function plainName(host: string): string {
  return `sluice_session_${PORT.exec(host)?.[1] ?? '80'}`;
}

/** The session's cookie of a request; the one that only TLS carries comes first. */
export function readSessionCookie(headers: RequestHeaders): SessionCookie | undefined {
  const { cookie, host } = headers;
  if (typeof cookie !== 'string') return undefined;
  const find = (name: string): string | undefined =>
    cookie
      .split(';')
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const secure = find(SECURE_NAME);
  const secret = secure ?? find(plainName(String(host)));
  return secret !== undefined && SECRET.test(secret) ? { secret, isSecure: secure !== undefined } : undefined;
}

/** The header that sets the cookie for so many seconds; 0 removes it. */
export function writeSessionCookie(
  { secret, isSecure }: SessionCookie,
  host: string,
  maxAgeSeconds: number,
): string {
  const pair = `${isSecure ? SECURE_NAME : plainName(host)}=${secret}`;
  return `${pair}; ${SHARED}; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
}
