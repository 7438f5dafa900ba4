import type { LastPrompt } from '#logs';
import type { CanonicalRequest } from '#canonical';
import type { RouteTools } from './attempt-types.ts';
import type { Trip } from '../request/trip.ts';
import type { EarlierRequest } from '../misses/explain-miss.ts';
import { hashPrompt } from '../misses/hash-prompt.ts';
import { countCached } from '../misses/explain-miss.ts';
import { nameSession } from '../misses/session-prompts.ts';
import { inTurn } from '../request/step-scheduler.ts';

/** No cache lasts longer. */
const RECALLED_MS = 2 * 3_600_000;

/**
 * Hashes the prompt of a session while its provider works on it, so that the request does not wait. The prompt is held until
 * then, although the trip may have released it.
 */
export function hashLater({ ports, trip }: RouteTools): void {
  const { request, names, isHashed, queue } = trip.facts;
  if (isHashed || !request || request.choices > 1 || names?.sessionId === undefined) return;
  trip.set({ isHashed: true });
  const prompt = { ...request };
  const { hashed } = trip.facts;
  setImmediate(() => {
    if (!hashed) void inTurn(queue, () => recordHashes(trip, prompt));
    if (prompt.turns.length > 1) recallSession(ports, trip);
  });
}

function recordHashes(trip: Trip, prompt: CanonicalRequest): void {
  try {
    trip.set({ hashed: hashPrompt(prompt) });
  } catch {
    // Best effort: a missed cache of this request is then not explained.
  }
}

/** Loads the earlier prompts of a session that other processes handled. */
function recallSession({ sessionPrompts, lastPrompts, live }: RouteTools['ports'], trip: Trip): void {
  const { sessionId = '', agentId } = trip.facts.names ?? {};
  const caller = trip.get('caller');
  const { organizationId } = caller;
  const place = {
    organizationId,
    sessionId,
    since: trip.arrival.startedAt - RECALLED_MS,
    ...(agentId !== undefined && { agentId }),
  };
  const toEarlier = ({ usage, ...last }: LastPrompt): EarlierRequest => {
    const { catalogue, own } = live(caller);
    const model = own?.models.get(last.modelId) ?? catalogue.models.get(last.modelId);
    const mapping = model?.mappings.find(
      ({ providerId, externalId }) => providerId === last.providerId && externalId === last.externalId,
    );
    const ttlMinutes = usage.inputCacheWrite1h > 0 ? 60 : last.chain.ttlMinutes;
    return { ...last, ttlMinutes, ...countCached(usage, mapping) };
  };
  void sessionPrompts.recall(nameSession(organizationId, sessionId, agentId), async () =>
    (await lastPrompts.find(place)).map(toEarlier),
  );
}
