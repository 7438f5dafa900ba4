import type { Mapping } from '#catalogue';
import type { ModelWeights, Session, Shares } from '#routing';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { arrange, explainFirst, explore, isFastEnough, isHome, rankMappings } from '#routing';
import { createHealthOf, findAccount, seedOf } from '../attempt/candidate.ts';

/**
 * Orders the mappings to try. If the organization has its own keys for some, only those are tried: a failing key must
 * not move the charge to credits.
 */
export function plan(ports: Ports, trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const route = selectByCredential(ports, trip, mappings);
  const { health } = ports;
  const nowMs = ports.clock.monotonicMs();
  const { isAdaptive, strategy, weights } = ports.live().routing;
  const healthOf = createHealthOf({ ports, trip });
  const { preferences, trial } = trip.facts;
  const format = trip.arrival.format.id;
  const wanted = preferences?.sort ?? (isAdaptive ? strategy : 'price');
  const shares = findShares(trip, route, weights);
  const measure = shares ? 'weights' : wanted;
  const session = findCached(ports, trip, route);
  const ranked = rankMappings(route, { healthOf, nowMs, format, strategy: wanted, session, shares });
  const budgets = health.budgetsOf(ranked[0]?.mapping.providerId ?? '', nowMs);
  budgets.earn();
  const order = ranked.map(({ mapping }) => mapping);
  const pace = preferences?.pace;
  const isPreferred = (mapping: Mapping): boolean => {
    const health = healthOf(mapping);
    const isWell = ['healthy', 'due'].includes(health.standingAt(nowMs));
    return isWell && (!pace || isFastEnough(health, pace));
  };
  const arranged = preferences
    ? arrange(order, route, { ...preferences, isPreferred: pace && isPreferred })
    : order;
  const explored =
    preferences || measure !== 'balanced' || session || trial
      ? arranged
      : explore(arranged, { healthOf, nowMs, spend: () => budgets.explorations.spend(nowMs) });
  const tried = trial ? explored.filter((mapping) => trial.mappings.has(mapping)) : [];
  if (tried[0]) {
    trip.note({ choice: { mapping: tried[0], reason: 'experiment' } });
    return [...new Set([...tried, ...explored])];
  }
  const [first] = explored;
  if (!first) return explored;
  const isNamed = preferences?.order.includes(first.providerId.toLowerCase());
  const isFaster = pace && arrange(order, route, preferences)[0] !== first;
  const reason = isFaster ? 'health' : isNamed ? 'order' : explainFirst(ranked, first, measure);
  trip.note({ choice: { mapping: first, reason: explored === arranged ? reason : 'exploration' } });
  return explored;
}

/** The session of a request, if the credential that has its prompt cached is called first of its provider's. */
function findCached(ports: Ports, trip: Trip, route: readonly Mapping[]): Session | undefined {
  const { prompt } = trip.facts;
  const session = prompt && ports.prompts.findSession(prompt, trip.get('caller').keyId);
  if (!session) return undefined;
  trip.note({ session });
  const home = route.find((mapping) => isHome(session, mapping));
  return !home || findAccount({ ports, trip }, home) === session.home.account ? session : undefined;
}

/** The weights that apply: the request's, its key's or project's, unless these have another strategy; else the model's. */
function findShares(
  trip: Trip,
  [first]: readonly Mapping[],
  ofModels: ModelWeights | undefined,
): Shares | undefined {
  const { preferences } = trip.facts;
  const weights =
    preferences?.weights ?? (preferences?.sort ? undefined : ofModels?.get(first?.modelId ?? ''));
  return weights && { weights, seed: seedOf(trip) };
}

/**
 * The mappings for which the organization has its own keys, if it has some for the requested model, otherwise those for
 * which it has none; notes who is billed.
 */
export function selectByCredential(
  ports: Pick<Ports, 'live'>,
  trip: Trip,
  mappings: readonly Mapping[],
): readonly Mapping[] {
  const caller = trip.get('caller');
  const { providers } = ports.live(caller);
  if (!caller.byok) {
    trip.note({ credential: 'gateway' });
    return mappings;
  }
  const isOwn = ({ providerId }: Mapping): boolean => providers.get(providerId)?.credentialId !== undefined;
  const requested = mappings.filter(({ modelId }) => modelId === mappings[0]?.modelId);
  const credential = requested.some(isOwn) ? 'own' : 'gateway';
  trip.note({ credential });
  return mappings.filter((mapping) => isOwn(mapping) === (credential === 'own'));
}
