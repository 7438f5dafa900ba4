import { GatewayError } from '#errors';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The credential of a request: `Authorization: Bearer` and `x-api-key` mean the same. The one extractor of all endpoints. */
export function readCredential(headers: Headers): string {
  const bearer = readBearer(headers.authorization);
  const apiKey = readSingle(headers['x-api-key']);
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    throw new GatewayError(
      'conflicting_credentials',
      'the headers "authorization" and "x-api-key" carry different keys; send one of them',
    );
  }
  const credential = bearer ?? apiKey;
  if (credential === undefined) {
    throw new GatewayError(
      'missing_credential',
      'no API key was given; send "Authorization: Bearer <key>" or "x-api-key: <key>"',
    );
  }
  return credential;
}

function readBearer(header: string | string[] | undefined): string | undefined {
  const text = readSingle(header);
  if (text === undefined) return undefined;
  const credential = text.startsWith('Bearer ') ? text.slice(7) : '';
  if (credential === '' || credential.startsWith(' ')) {
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
