import type { Mapping } from '#catalogue';
import type { Session } from '#routing';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import { explore, findCached, planRoute } from '#routing';
import { createHealthOf, findAccount, seedOf } from '../../attempt/candidate.ts';
import { findBudgets } from '../../attempt/find-budgets.ts';

/**
 * Orders the mappings to try. If the organization has its own keys for some, only those are tried: a failing key must
 * not move the charge to credits.
 */
export function plan(ports: Ports, trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const route = selectByCredential(ports, trip, mappings);
  const nowMs = ports.clock.monotonicMs();
  const healthOf = createHealthOf({ ports, trip });
  const { preferences, trial } = trip.facts;
  const session = findSession(ports, trip, route);
  const { order, measure, reason } = planRoute(route, {
    healthOf,
    nowMs,
    format: trip.arrival.format.id,
    rules: ports.live().routing,
    preferences,
    session,
    trial: trial?.mappings,
    seed: seedOf(trip),
  });
  const { explorations } = findBudgets({ ports, trip }, order[0]?.providerId ?? '');
  explorations.earn();
  const explored =
    preferences || measure !== 'balanced' || session || trial
      ? order
      : explore(order, { healthOf, nowMs, spend: () => explorations.spend(nowMs) });
  const [first] = explored;
  if (first && reason)
    trip.set({ choice: { mapping: first, reason: explored === order ? reason : 'exploration' } });
  return explored;
}

/** The session of a request, if its next prompt is read from a cache. */
function findSession(ports: Ports, trip: Trip, route: readonly Mapping[]): Session | undefined {
  const { prompt } = trip.facts;
  const session = prompt && ports.prompts.findSession(prompt, trip.get('caller').keyId);
  if (!session) return undefined;
  trip.set({ session });
  return findCached(session, route, (mapping) => findAccount({ ports, trip }, mapping));
}

/**
 * The mappings for which the organization has its own keys, if it has some for the requested model, otherwise those for
 * which it has none; records whose account is billed.
 */
export function selectByCredential(
  ports: Pick<Ports, 'live'>,
  trip: Trip,
  mappings: readonly Mapping[],
): readonly Mapping[] {
  const { credential, serves } = findPayer(ports, trip, mappings);
  trip.set({ credential });
  return mappings.filter(serves);
}

/** Whose credentials a request is sent with, and the mappings that these can call. */
export function findPayer(
  ports: Pick<Ports, 'live'>,
  trip: Trip,
  mappings: readonly Mapping[],
): { credential: 'own' | 'gateway'; serves(mapping: Mapping): boolean } {
  const caller = trip.get('caller');
  const { providers } = ports.live(caller);
  if (!caller.byok) return { credential: 'gateway', serves: () => true };
  const isOwn = ({ providerId }: Mapping): boolean => providers.get(providerId)?.credentialId !== undefined;
  const isRequested = ({ modelId }: Mapping): boolean => modelId === mappings[0]?.modelId;
  const hasOwn = mappings.some((mapping) => isRequested(mapping) && isOwn(mapping));
  return { credential: hasOwn ? 'own' : 'gateway', serves: (mapping) => isOwn(mapping) === hasOwn };
}
