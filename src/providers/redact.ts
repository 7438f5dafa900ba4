import { hideParts, listSpellings } from './redact-variants.ts';

const SHORTEST_SECRET = 6;
const HIDDEN = '[hidden]';
/** Shorter header values are words; a part of one reveals nothing. */
const SHORTEST_KEY = 16;

/**
 * Redacts the secrets of a provider wherever an upstream quotes them or eight characters of them, in another case,
 * escaped or encoded, including one truncated at the end of a bounded text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const spellings = long.filter(isKey).flatMap(listSpellings);
  return (text) => {
    const whole = long.reduce(
      (clean, secret) => hideBeginning(clean.replaceAll(secret, HIDDEN), secret),
      text,
    );
    return hideParts(whole, spellings, HIDDEN);
  };
}

/** The values of headers, and what follows the scheme in them: providers quote a key without `Bearer`. */
export function listHeaderSecrets(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)]);
}

/** Whether parts of a secret should be hidden: not if it is an address or words. */
function isKey(secret: string): boolean {
  return secret.length >= SHORTEST_KEY && !/\s|:\/\//.test(secret);
}

/** Upstream texts are truncated before the secrets in them are known. */
function hideBeginning(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_SECRET; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  }
  return text;
}
