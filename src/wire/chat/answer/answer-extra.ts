import { type JsonObject, type JsonValue, append, isJsonObject } from '#base';

/**
 * Merges a chunk's unmodeled members into the complete answer: lists are appended, growing objects (logprobs, audio)
 * are joined, and for the rest the last value wins.
 */
export function mergeExtra(into: JsonObject, from: JsonObject, named: ReadonlySet<string>): void {
  for (const key in from) {
    if (named.has(key)) continue;
    const value = from[key];
    if (value === null || value === undefined) continue;
    into[key] = GROWING.has(key) ? grow(into[key], value) : value;
  }
}

/** Members that arrive in pieces. */
const GROWING = new Set(['logprobs', 'audio', 'images', 'reasoning_details']);
/** Members of `audio` and `logprobs` whose pieces are concatenated. */
const STRUNG = new Set(['data', 'transcript']);

function grow(earlier: JsonValue | undefined, later: JsonValue): JsonValue {
  if (Array.isArray(later)) return Array.isArray(earlier) ? append(earlier, later) : [...later];
  if (!isJsonObject(later)) return later;
  const joined: JsonObject = isJsonObject(earlier) ? { ...earlier } : {};
  for (const [key, value] of Object.entries(later)) {
    if (key === '__proto__') continue;
    const known = joined[key];
    if (Array.isArray(value)) joined[key] = Array.isArray(known) ? append(known, value) : [...value];
    else if (typeof value === 'string' && typeof known === 'string' && STRUNG.has(key))
      joined[key] = known + value;
    else if (value !== undefined && value !== null) joined[key] = value;
  }
  return joined;
}
