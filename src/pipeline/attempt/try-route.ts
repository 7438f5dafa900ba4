import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { Provider } from '#providers';
import type { Metered } from '../price/meter.ts';
import type { Ports } from '../request/ports.ts';
import type { AttemptNote, Trip } from '../request/trip.ts';
import { AFTER_FAILURE, GatewayError } from '#errors';
import { addEarlier } from './route-meter.ts';

/** How the attempts ended. `cut` and `canceled` may have delivered a part. */
export type AttemptEnding =
  | { type: 'answered' }
  | { type: 'cut'; failure: UpstreamFailure }
  | { type: 'canceled'; failure?: UpstreamFailure }
  | { type: 'failed'; failure: UpstreamFailure }
  | { type: 'unsayable'; error: GatewayError };

export function failureOf(ending: AttemptEnding): UpstreamFailure | undefined {
  return 'failure' in ending ? ending.failure : undefined;
}

/** One attempt at one mapping. */
export interface Try {
  readonly meter: Metered;
  /** The provider's status; 0 if it sent none. */
  readonly status: number;
  run(): Promise<AttemptEnding>;
}

export interface Attempted {
  ending: AttemptEnding;
  meter: Metered;
}

/** What trying a route needs of its trip. */
export interface RouteTools {
  ports: Ports;
  trip: Trip;
}

/** Tries the mappings in order until one answers. After the first event there is no other mapping. */
export async function tryRoute(
  tools: RouteTools,
  route: readonly Mapping[],
  begin: (mapping: Mapping, provider: Provider) => Try,
): Promise<Attempted> {
  const { ports, trip } = tools;
  let last: (Attempted & { mapping: Mapping }) | undefined;
  const earlier: Metered[] = [];
  for (const mapping of route) {
    const provider = ports.live(trip.get('caller')).providers.get(mapping.providerId);
    if (!provider || isOwn(provider) !== (trip.get('credential') === 'own')) continue;
    if (last) earlier.push(last.meter);
    const startedMs = ports.clock.monotonicMs();
    const single = begin(mapping, provider);
    last = { mapping, ending: await single.run(), meter: single.meter };
    const { credentialId } = provider;
    noteAttempt(tools, { mapping, credentialId, ending: last.ending, status: single.status, startedMs });
    if (!mayGoOn(last.ending)) break;
  }
  if (!last)
    throw new GatewayError('provider_not_configured', 'the providers of this model are no longer configured');
  trip.note({ mapping: last.mapping });
  return { ...last, meter: addEarlier(last.meter, earlier) };
}

/** The configuration may have changed since; a request admitted on one subject is never sent on another. */
function isOwn({ credentialId }: Provider): boolean {
  return credentialId !== undefined;
}

function mayGoOn(ending: AttemptEnding): boolean {
  if (ending.type === 'unsayable') return true;
  return ending.type === 'failed' && AFTER_FAILURE[ending.failure.kind].next !== 'stop';
}

interface Tried {
  mapping: Mapping;
  credentialId: string | undefined;
  ending: AttemptEnding;
  status: number;
  startedMs: number;
}

function noteAttempt({ ports, trip }: RouteTools, tried: Tried): void {
  const { mapping, credentialId, ending, status, startedMs } = tried;
  const nowMs = ports.clock.monotonicMs();
  const failure = failureOf(ending);
  const note: AttemptNote = {
    providerId: mapping.providerId,
    externalId: mapping.externalId,
    outcome: failure?.kind ?? (ending.type as AttemptNote['outcome']),
    durationMs: Math.round(nowMs - startedMs),
  };
  if (status > 0) note.status = status;
  if (credentialId !== undefined) note.credential = 'own';
  trip.attempts.push(note);
  if (!failure) {
    if (ending.type === 'answered') ports.health.warmUp(mapping, credentialId);
    return;
  }
  const { coolDownMs } = AFTER_FAILURE[failure.kind];
  if (coolDownMs > 0) ports.health.coolDown(mapping, nowMs + coolDownMs, credentialId);
  const { providerId, externalId } = mapping;
  ports.telemetry.attemptFailed({ requestId: trip.arrival.requestId, providerId, externalId }, failure);
}
