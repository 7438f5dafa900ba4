import type { CachedAnswer, ResponseCache, Tenant } from '#cache';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { fingerprintRules, holderOf } from '#accounts';
import { createCacheKey } from '#cache';
import { isStillKept } from './recall.ts';

/** A follower waits this long for an identical request under way before it runs on its own. */
const FOLLOW_MS = 60_000;
/** Request headers that change an answer. */
const KEYED_HEADERS = ['anthropic-version', 'anthropic-beta', 'x-no-metadata'];

/** A place in the response cache that this request may fill. */
export interface CacheSlot {
  key: string;
  tenant: Tenant;
  ttlSeconds: number;
  /** Whether others wait for this request's answer. */
  leads: boolean;
}

type CacheFinding = { answer: CachedAnswer } | { slot: CacheSlot };

/** Whether the project caches, the answer could be repeated, and the caller does not ask for a fresh one. */
export function mayReplay({ facts, arrival }: Trip): boolean {
  if (facts.task?.isReplayable === false) return false;
  return facts.caller?.cacheTtlSeconds !== undefined && arrival.headers['x-no-cache'] !== 'true';
}

/** Looks for the answer of a byte-identical request; with none, gives the slot to fill. */
export async function replay(ports: Ports, trip: Trip, bytes: Uint8Array): Promise<CacheFinding> {
  const caller = trip.get('caller');
  const { organizationId, projectId, cacheTtlSeconds = 0, rules } = caller;
  const { headers, endpoint } = trip.arrival;
  const tenant = { organizationId, projectId };
  const keyed = KEYED_HEADERS.map((name) => `${name}:${String(headers[name] ?? '')}`);
  // Some formats say these in the address and not in the body.
  keyed.push(`model:${trip.asked?.model}`, `stream:${trip.asked?.stream}`);
  // An answer of a provider that other rules allow is not this caller's.
  if (rules) keyed.push(`rules:${fingerprintRules(rules)}`);
  // An answer that is kept is gone on from by its id, which is of use to who it was given to alone.
  if (trip.facts.memory) keyed.push(`holder:${holderOf(caller) ?? ''}`);
  const key = createCacheKey({ tenant, endpoint, headers: keyed, body: bytes });
  const stored = await ports.cache.find(key, tenant);
  if (stored && (stored.keptId === undefined || (await isStillKept(ports, trip, stored.keptId))))
    return { answer: stored };
  const joined = await follow(ports, trip, key);
  if (joined !== undefined && joined !== 'none') return { answer: joined };
  return { slot: { key, tenant, ttlSeconds: cacheTtlSeconds, leads: joined === undefined } };
}

/** Waits for an identical request under way, for as long as there is somebody to give its answer to. */
async function follow(
  ports: Ports,
  { arrival: { reply } }: Trip,
  key: string,
): ReturnType<ResponseCache['join']> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  reply.onGone(leave);
  try {
    return await ports.cache.join(key, FOLLOW_MS, gone.signal);
  } finally {
    reply.offGone(leave);
  }
}

/** Stores a complete answer, or none, and releases the requests that wait for it. */
export async function release(ports: Ports, slot: CacheSlot, answer?: CachedAnswer): Promise<void> {
  if (!slot.leads) return;
  slot.leads = false;
  await ports.cache.release(slot.key, answer && { answer, tenant: slot.tenant, ttlSeconds: slot.ttlSeconds });
}
