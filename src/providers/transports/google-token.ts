import { sign } from 'node:crypto';
import type { Token } from './token-source.ts';
import { type JsonObject, parseJsonObject, systemClock } from '#base';
import { CredentialError } from './credential-error.ts';
import { requestToken } from './oauth-token.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const ASSERTION_SECONDS = 3_600;
const ASSUMED_LIFE_MS = 30 * 60_000;

/** Fetches tokens with Google credentials: the JSON text of a key file, or else the machine's own credentials. */
export function createGoogleTokenFetcher(credentials: string | undefined): () => Promise<Token> {
  return async () => {
    if (credentials === undefined) return askLibrary(undefined);
    const key = parseJsonObject(credentials);
    if (!key) throw new CredentialError('the Google credentials are not JSON');
    return key['type'] === 'service_account' ? askAsServiceAccount(key) : askLibrary(key);
  };
}

/**
 * A service account signs its own request, and its key file names the token endpoint; Google's library would ignore
 * that address.
 */
async function askAsServiceAccount(key: JsonObject): Promise<Token> {
  const { client_email: email, private_key: secret, private_key_id: keyId, token_uri: uri } = key;
  if (typeof email !== 'string' || typeof secret !== 'string')
    throw new CredentialError('the Google key file has no client_email or no private_key');
  const url = typeof uri === 'string' ? uri : TOKEN_URL;
  const issuedAt = Math.floor(systemClock.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(typeof keyId === 'string' && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: url, iat: issuedAt, exp: issuedAt + ASSERTION_SECONDS };
  const assertion = signAssertion(`${encodePart(header)}.${encodePart(claims)}`, secret);
  return requestToken(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
}

function signAssertion(text: string, secret: string): string {
  try {
    return `${text}.${sign('sha256', Buffer.from(text), secret).toString('base64url')}`;
  } catch {
    throw new CredentialError('the private_key of the Google key file is not a valid key');
  }
}

function encodePart(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Users, federated identities and the metadata server of Google's machines; the library is only loaded for these. */
async function askLibrary(key: JsonObject | undefined): Promise<Token> {
  const { GoogleAuth } = await import('google-auth-library');
  const client = await new GoogleAuth({ scopes: [SCOPE], ...(key && { credentials: key }) }).getClient();
  const { token } = await client.getAccessToken();
  if (!token) throw new CredentialError('Google returned no token');
  const { expiry_date: expiry } = client.credentials;
  return { value: token, expiresAtMs: expiry ?? systemClock.now() + ASSUMED_LIFE_MS };
}
