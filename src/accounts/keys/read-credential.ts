import { GatewayError } from '#errors';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The headers that may hold a credential. */
const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const;

/** The scheme name in any case and one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer /i;
const BEARER_LENGTH = 'Bearer '.length;

/** Whether a request has a credential, valid or not. */
export function hasCredential(headers: Headers): boolean {
  return CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
}

/**
 * The credential of a request: `Authorization: Bearer`, `x-api-key` and `x-goog-api-key` are equivalent. Used by all
 * endpoints.
 */
export function readCredential(headers: Headers): string {
  const bearer = readBearer(headers['authorization']);
  const key = readSingle(headers['x-api-key']);
  const googleKey = readSingle(headers['x-goog-api-key']);
  const credential = bearer ?? key ?? googleKey;
  if ((key ?? credential) !== credential || (googleKey ?? credential) !== credential) {
    throw new GatewayError(
      'conflicting_credentials',
      'the headers "authorization", "x-api-key" and "x-goog-api-key" carry different keys; send one of them',
    );
  }
  if (credential === undefined) {
    throw new GatewayError(
      'missing_credential',
      'no API key was given; send "Authorization: Bearer <key>", "x-api-key: <key>" or "x-goog-api-key: <key>"',
    );
  }
  return credential;
}

function readBearer(header: string | string[] | undefined): string | undefined {
  const text = readSingle(header);
  if (text === undefined) return undefined;
  const credential = BEARER.test(text) ? text.slice(BEARER_LENGTH).trimStart() : '';
  if (credential === '') {
    throw new GatewayError('invalid_credential', 'the header "authorization" must read "Bearer <key>"');
  }
  return credential;
}

function readSingle(header: string | string[] | undefined): string | undefined {
  if (typeof header === 'string') return header === '' ? undefined : header;
  if (header === undefined) return undefined;
  const [first, ...others] = header;
  if (others.some((other) => other !== first)) {
    throw new GatewayError(
      'conflicting_credentials',
      'a credential header was sent more than once with different keys',
    );
  }
  return first === '' ? undefined : first;
}
