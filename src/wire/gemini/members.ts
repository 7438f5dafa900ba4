import type { JsonObject } from '#base';

/**
 * Reads a member by its camel-case or snake-case name (`inlineData`, `inline_data`): Google's own examples mix them.
 */
export function findMember<Owner extends object, Name extends keyof Owner & string>(
  owner: Owner,
  name: Name,
): NonNullable<Owner[Name]> | undefined {
  const value = owner[name];
  const found = value === undefined ? (owner as Record<string, Owner[Name]>)[toProtocolName(name)] : value;
  return found ?? undefined;
}

/** The spelling by which a member is read; nothing if it is absent. */
export function findSpelling(owner: JsonObject, name: string): string | undefined {
  if (findMember(owner, name) === undefined) return undefined;
  return owner[name] === undefined ? toProtocolName(name) : name;
}

/** Both spellings of some members. */
export function spellingsOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, toProtocolName(name)]));
}

const PROTOCOL_NAMES = new Map<string, string>();

/** `inline_data` for `inlineData`. */
export function toProtocolName(name: string): string {
  const known = PROTOCOL_NAMES.get(name);
  if (known !== undefined) return known;
  const converted = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  PROTOCOL_NAMES.set(name, converted);
  return converted;
}
