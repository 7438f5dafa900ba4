import type { UpstreamFailure } from '#errors';
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

/** A failure with texts that are safe to show and log. */
export function redactFailure(
  failure: UpstreamFailure,
  { redact }: { redact: (text: string) => string },
): UpstreamFailure {
  const clean = { ...failure, message: redact(failure.message) };
  if (failure.detail !== undefined) clean.detail = redact(failure.detail);
  if (failure.type !== undefined) clean.type = redact(failure.type);
  if (failure.code !== undefined) clean.code = redact(failure.code);
  if (failure.param !== undefined) clean.param = redact(failure.param);
  return clean;
}

/** The organization must fix its own refused key or empty account; other failures are reported unchanged. */
export function reportToOperator(
  failure: UpstreamFailure,
  { id, credentialId }: { id: string; credentialId?: string | undefined },
): UpstreamFailure {
  if (credentialId === undefined) return failure;
  if (failure.kind === 'credential-refused')
    return { ...failure, message: `the provider ${id} refused the organization’s own key` };
  if (failure.kind === 'out-of-quota')
    return { ...failure, message: `the organization’s account at the provider ${id} is out of quota` };
  return failure;
}
