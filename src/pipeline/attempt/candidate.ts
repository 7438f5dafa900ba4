import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { MappingHealth } from '#routing';
import type { Allowance } from '../request/memory/capacity.ts';
import type { Credential, LiveSettings, Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { accountOf } from '#providers';
import { isHome, orderCredentials } from '#routing';

/** A mapping, and a credential to call it with. */
export interface Candidate {
  mapping: Mapping;
  /** The name of one of the gateway's credentials, where the provider has several. */
  credential?: string;
  /** The provider's account that is called (`accountOf`). */
  account: string | undefined;
  /** The limits of the credential; absent if it has none. */
  allowance?: Allowance;
  health: MappingHealth;
  /** The healths of its provider's other credentials at the same address; absent if there are none. */
  peers?: readonly MappingHealth[];
}

/** The healths that a call to the candidate updates. */
export function healthsOf({ health, peers }: Pick<Candidate, 'health' | 'peers'>): MappingHealth[] {
  return peers ? [health, ...peers.filter(({ heedsPeers }) => heedsPeers)] : [health];
}

/** What finding candidates needs. */
interface CandidateTools {
  ports: Pick<Ports, 'live' | 'health' | 'clock'>;
  trip: Trip;
}

/**
 * The mappings of a route that can be called, each with all of its provider's credentials before the next: the session
 * and the weights decide which of those in good health comes first.
 */
export function listCandidates(tools: CandidateTools, route: readonly Mapping[]): Candidate[] {
  const live = tools.ports.live(tools.trip.get('caller'));
  return route.flatMap((mapping) => listForMapping(tools, live, mapping));
}

/** The health of mappings; with several credentials, the health of the one that would be tried first. */
export function createHealthOf(tools: CandidateTools): (mapping: Mapping) => MappingHealth {
  const { ports, trip } = tools;
  const live = ports.live(trip.get('caller'));
  let pooled: Map<Mapping, MappingHealth> | undefined;
  return (mapping) => {
    const known = pooled?.get(mapping);
    if (known) return known;
    const provider = live.providers.get(mapping.providerId);
    if (!provider || !findPool(live, provider)) return ports.health.of(mapping, provider?.credentialId);
    const health = listForMapping(tools, live, mapping)[0]?.health ?? ports.health.of(mapping);
    pooled ??= new Map();
    pooled.set(mapping, health);
    return health;
  };
}

/** The account of a mapping's provider that is called first. */
export function findAccount(tools: CandidateTools, mapping: Mapping): string | undefined {
  const [first] = listForMapping(tools, tools.ports.live(tools.trip.get('caller')), mapping);
  return first?.account;
}

function listForMapping({ ports, trip }: CandidateTools, live: LiveSettings, mapping: Mapping): Candidate[] {
  const provider = findFirst(live, trip, mapping.providerId);
  if (!provider) return [];
  const pool = findPool(live, provider);
  if (!pool) {
    const account = accountOf(provider);
    return [{ mapping, account, health: ports.health.of(mapping, account) }];
  }
  const { accounts } = trip.facts;
  const credentials = pool
    .filter(({ name }) => !accounts || accounts.has(toAccountName(mapping.providerId, name)))
    .map((credential) => {
      const account = accountOf(credential.provider);
      return { ...credential, account, health: ports.health.of(mapping, account) };
    });
  const nowMs = ports.clock.monotonicMs();
  const seed = `${seedOf(trip)} ${mapping.providerId}`;
  const { session } = trip.facts;
  const ordered = orderCredentials(credentials, {
    seed,
    stateOf: ({ health }) => health.stateAt(nowMs),
    home: session && isHome(session, mapping) ? session.home : undefined,
  });
  const isNamed = pool.length > 1 || provider.credentialName !== undefined;
  return ordered.map(({ name, account, allowance, health, address }) => ({
    mapping,
    account,
    ...(isNamed && { credential: name }),
    ...(allowance && { allowance }),
    health,
    ...(ordered.length > 1 && {
      peers: ordered.flatMap((one) => (one.health !== health && one.address === address ? [one.health] : [])),
    }),
  }));
}

/** Names a credential of the gateway among those of all providers. */
export function toAccountName(providerId: string, credential: string): string {
  return `${providerId} ${credential}`;
}

/** The client of a candidate, as the configuration is now. */
export function findProvider(
  { ports, trip }: CandidateTools,
  { mapping, credential }: Candidate,
): Provider | undefined {
  const live = ports.live(trip.get('caller'));
  const provider = findFirst(live, trip, mapping.providerId);
  const pool = provider && findPool(live, provider);
  return pool?.find(({ name }) => name === credential)?.provider ?? provider;
}

/** A request admitted on one subject is never sent on another, although the configuration may have changed since. */
function findFirst(live: LiveSettings, trip: Trip, providerId: string): Provider | undefined {
  const provider = live.providers.get(providerId);
  const whose = provider?.credentialId === undefined ? 'gateway' : 'own';
  return (trip.facts.credential ?? whose) === whose ? provider : undefined;
}

/** The gateway's credentials, if it has several and the organization none of its own. */
function findPool(live: LiveSettings, { id, credentialId }: Provider): readonly Credential[] | undefined {
  return credentialId === undefined ? live.pools?.get(id) : undefined;
}

/** A session or conversation keeps its credential and, of providers with weights, its provider, because its prompts are cached there; other requests are spread. */
export function seedOf({ facts, arrival }: Trip): string {
  const { request, prompt, caller } = facts;
  const session = request?.sessionId ?? prompt?.conversation;
  return session === undefined ? arrival.requestId : `${caller?.organizationId ?? ''} ${session}`;
}
