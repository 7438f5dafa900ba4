import type { JsonObject, JsonValue } from '#base';

/** A member by its name in JSON, or in the words of the protocol file, which Google's own examples mix: `inlineData`, `inline_data`. */
export function findMember(owner: JsonObject, name: string): JsonValue | undefined {
  const value = owner[name];
  if (value !== undefined) return value ?? undefined;
  return owner[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined;
}

/** An object without some of its members. */
export function without(owner: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(owner).filter(([name]) => !names.includes(name)));
}
