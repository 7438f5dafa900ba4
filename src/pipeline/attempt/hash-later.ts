import type { Trip } from '../request/trip.ts';
import { hashPrompt } from '../misses/hash-prompt.ts';
import { inTurn } from '../request/pace.ts';

/**
 * Hashes the prompt of a session while its provider works on it, so that the request does not wait. The prompt is held until
 * then, although the trip may have released it.
 */
export function hashLater(trip: Trip): void {
  const { request, names, isHashed, isHeavy } = trip.facts;
  if (isHashed || !request || request.choices > 1 || names?.sessionId === undefined) return;
  trip.note({ isHashed: true });
  const prompt = { ...request };
  setImmediate(() => void inTurn(isHeavy, () => noteHashes(trip, prompt)));
}

function noteHashes(trip: Trip, prompt: Parameters<typeof hashPrompt>[0]): void {
  try {
    trip.note({ hashed: hashPrompt(prompt) });
  } catch {
    // Nothing waits for it: the request is only not explained.
  }
}
