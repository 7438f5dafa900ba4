import type { IncomingMessage } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** For people and programs of the operator, whose pages are the gateway's own. */
const OWN_PAGES = /^\/(?:admin|dashboard|metrics)\b/;
/** Longer than any browser keeps it. */
const PREFLIGHT_SECONDS = 86_400;

/** The headers by which a browser lets pages of the request's origin read an answer; undefined if it must not. */
export function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  path: string,
  origins: readonly string[],
): Headers | undefined {
  if (origin === undefined || OWN_PAGES.test(decode(path))) return undefined;
  const isAny = origins.includes('*');
  if (!isAny && !origins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': isAny ? '*' : origin,
    'access-control-expose-headers': '*',
    ...(!isAny && { vary: 'origin' }),
  };
}

/** As the router reads it: `/%61dmin` is `/admin`. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // the router finds nothing there
  }
}

/** The answer to a browser that asks before it sends a request; undefined for any other request. */
export function describePreflight(
  { method, headers }: IncomingMessage,
  methods: readonly string[],
): Headers | undefined {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
}
