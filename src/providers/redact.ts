import type { UpstreamFailure } from '#errors';

const SHORTEST_SECRET = 6;
const HIDDEN = '[hidden]';

/** Replaces the exact secrets of a provider wherever an upstream quotes them. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return (text) => long.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text);
}

/** A failure whose texts may be shown and logged. */
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
