import { getGlobalDispatcher } from 'undici';
import type { Token } from './token-source.ts';
import { parseJsonObject, systemClock } from '#base';

const TIMEOUT_MS = 10_000;
const MOST_CHARACTERS = 64 * 1024;
/** Assumed lifetime of a token without an expiry. */
const ASSUMED_LIFE_SECONDS = 1_800;

/** A token endpoint returned no token. */
export class TokenRefusal extends Error {
  readonly status: number;

  constructor(status: number, words: string) {
    super(`the token endpoint answered with status ${status}: ${words}`);
    this.name = 'TokenRefusal';
    this.status = status;
  }
}

/** Requests a token from an OAuth 2.0 endpoint. */
export async function requestToken(url: string, form: Record<string, string>): Promise<Token> {
  const { origin, pathname, search } = new URL(url);
  const response = await getGlobalDispatcher().request({
    origin,
    path: `${pathname}${search}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const text = (await response.body.text()).slice(0, MOST_CHARACTERS);
  const reported = parseJsonObject(text) ?? {};
  const { access_token: value, expires_in: seconds } = reported;
  if (response.statusCode !== 200 || typeof value !== 'string' || value === '')
    throw new TokenRefusal(response.statusCode, describe(reported));
  const life = Number(seconds) > 0 ? Number(seconds) : ASSUMED_LIFE_SECONDS;
  return { value, expiresAtMs: systemClock.now() + life * 1_000 };
}

function describe({ error, error_description: description }: Record<string, unknown>): string {
  const words = [error, description].filter((part) => typeof part === 'string').join(': ');
  return words === '' ? 'no reason given' : words.slice(0, 500);
}
