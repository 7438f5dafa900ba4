import type { JsonObject, JsonValue } from '#base';

/** A prompt never counts zero, which clients would read as an empty context. */
export function readCount(tokens: JsonValue | undefined): number | undefined {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** The members of a body that a counter accepts. */
export function selectMembers(body: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)));
}
