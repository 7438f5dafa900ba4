import type { HttpHeaders } from '#base';
import { GatewayError } from '#errors';

/** The headers that may hold a credential: clients of Azure send `api-key`, those of LiteLLM its own. */
export const CREDENTIAL_HEADERS = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-litellm-api-key',
] as const;

/** The scheme name in any case and one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer /i;
const BEARER_LENGTH = 'Bearer '.length;

/** Whether a request has a credential, valid or not. */
export function hasCredential(headers: HttpHeaders): boolean {
  return CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
}

/** The credential of a request: all headers that may hold one are equivalent. Used by all endpoints. */
export function readCredential(headers: HttpHeaders): string {
  let first: { name: string; credential: string } | undefined;
  for (const name of CREDENTIAL_HEADERS) {
    const credential = READERS[name](headers[name]);
    if (credential === undefined) continue;
    first ??= { name, credential };
    if (credential === first.credential) continue;
    throw new GatewayError(
      'conflicting_credentials',
      `the headers "${first.name}" and "${name}" carry different keys; send one of them`,
    );
  }
  if (first) return first.credential;
  throw new GatewayError(
    'missing_credential',
    'no API key was given; send "Authorization: Bearer <key>", "x-api-key: <key>" or "x-goog-api-key: <key>"',
  );
}

type Reader = (header: string | string[] | undefined) => string | undefined;

const READERS: Readonly<Record<(typeof CREDENTIAL_HEADERS)[number], Reader>> = {
  authorization: readBearer,
  'x-api-key': readSingle,
  'x-goog-api-key': readSingle,
  'api-key': readSingle,
  'x-litellm-api-key': (header) => readSingle(header)?.replace(/^bearer +/i, ''),
};

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
