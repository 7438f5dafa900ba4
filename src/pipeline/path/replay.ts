import type { CachedAnswer, ResponseCache, CacheTenant } from '#cache';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { fingerprintRules, holderOf } from '#accounts';
import { createCacheKey } from '#cache';
import { isStillKept } from './recall.ts';
import { whileConnected } from '../request/while-connected.ts';

/** How long a request waits for an identical one under way before it runs on its own. */
const FOLLOW_MS = 60_000;
/** Request headers that change an answer. */
const KEYED_HEADERS = ['anthropic-version', 'anthropic-beta', 'x-gateway-provider', 'x-no-metadata'];

/** An entry of the response cache that this request may fill. */
export interface CacheSlot {
  key: string;
  tenant: CacheTenant;
  ttlSeconds: number;
  /** Whether other requests may wait for this one's answer. */
  leads: boolean;
}

type CacheFinding = { answer: CachedAnswer } | { slot: CacheSlot };

/** Whether the project caches, the answer could be repeated, and the caller does not ask for a fresh one. */
export function mayReplay({ facts, arrival }: Trip): boolean {
  if (facts.task?.isReplayable === false || facts.isFresh) return false;
  return facts.caller?.cacheTtlSeconds !== undefined && arrival.headers['x-no-cache'] !== 'true';
}

/** Looks up the answer of a byte-identical request; if there is none, returns the slot to fill. */
export async function replay(ports: Ports, trip: Trip, bytes: Uint8Array): Promise<CacheFinding> {
  const caller = trip.get('caller');
  const { organizationId, projectId, cacheTtlSeconds = 0, rules } = caller;
  const { headers, endpoint } = trip.arrival;
  const tenant = { organizationId, projectId };
  const keyed = KEYED_HEADERS.map((name) => `${name}:${String(headers[name] ?? '')}`);
  // Some formats have these in the URL rather than the body.
  keyed.push(`model:${trip.asked?.model}`, `stream:${trip.asked?.stream}`);
  // Rules affect which providers may answer, so they are part of the key.
  if (rules) keyed.push(`rules:${fingerprintRules(rules)}`);
  if (caller.routing) keyed.push(`routing:${JSON.stringify(caller.routing)}`);
  // A stored response is continued by its id, which only its owner can use.
  if (trip.facts.memory) keyed.push(`holder:${holderOf(caller) ?? ''}`);
  const key = createCacheKey({ tenant, endpoint, headers: keyed, body: bytes });
  const stored = await find(ports, trip, { key, tenant });
  if (stored) return { answer: stored };
  const joined = await follow(ports, trip, key);
  if (joined !== undefined && joined !== 'none') return { answer: joined };
  const slot = { key, tenant, ttlSeconds: cacheTtlSeconds, leads: joined === undefined };
  const late = slot.leads ? await findLate(ports, trip, slot) : undefined;
  return late ? { answer: late } : { slot };
}

type CacheEntry = Pick<CacheSlot, 'key' | 'tenant'>;

async function find(
  ports: Ports,
  trip: Trip,
  { key, tenant }: CacheEntry,
): Promise<CachedAnswer | undefined> {
  const stored = await ports.cache.find(key, tenant);
  const isKept = stored?.keptId === undefined || (await isStillKept(ports, trip, stored.keptId));
  return isKept ? stored : undefined;
}

/** An identical request may have stored its answer and ended between this one's look and its join. */
async function findLate(ports: Ports, trip: Trip, slot: CacheSlot): Promise<CachedAnswer | undefined> {
  try {
    const found = await find(ports, trip, slot);
    if (found) await release(ports, slot, found);
    return found;
  } catch (thrown) {
    await release(ports, slot);
    throw thrown;
  }
}

/** Waits for an identical request under way, as long as the caller is connected. */
function follow(ports: Ports, { arrival: { reply } }: Trip, key: string): ReturnType<ResponseCache['join']> {
  const gone = new AbortController();
  return whileConnected(reply, () => gone.abort(), ports.cache.join(key, FOLLOW_MS, gone.signal));
}

/** Stores a complete answer, or none, and releases the requests that wait for it. */
export async function release(ports: Ports, slot: CacheSlot, answer?: CachedAnswer): Promise<void> {
  if (!slot.leads) return;
  slot.leads = false;
  await ports.cache.release(slot.key, answer && { answer, tenant: slot.tenant, ttlSeconds: slot.ttlSeconds });
}
