import { GatewayError } from '#errors';
import type { RouteState } from './route-state.ts';

/** Windows are as long; what never fits is not promised either. */
const MOST_RETRY_MS = 60_000;

/** Why no provider of a route was called. */
export function createRouteRefusal({ isLeft, candidates, nowMs, fullUntilMs }: RouteState): GatewayError {
  if (isLeft)
    return new GatewayError('client_closed', 'the client disconnected before a provider was called');
  if (candidates.length === 0)
    return new GatewayError(
      'provider_not_configured',
      'the providers of this model are no longer configured',
    );
  if (fullUntilMs !== undefined)
    return createOverloaded(
      Math.min(fullUntilMs - nowMs, MOST_RETRY_MS),
      'the limits of this gateway at the providers of this model are reached',
    );
  const untilMs = Math.min(...candidates.map(({ health }) => health.pausedUntilMs));
  const mappings = new Set(candidates.map(({ mapping }) => mapping));
  const providers = mappings.size === 1 ? 'the provider' : 'every provider';
  return createOverloaded(untilMs - nowMs, `${providers} of this model fails or asks to be called later`);
}

function createOverloaded(waitMs: number, reason: string): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError('upstream_overloaded', `${reason}; retry in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}
