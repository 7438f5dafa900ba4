import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/**
 * Reads a member by its camel-case or snake-case name (`inlineData`, `inline_data`): Google's own examples mix them.
 */
export function findMember<Owner extends object, Name extends keyof Owner & string>(
  owner: Owner,
  name: Name,
): NonNullable<Owner[Name]> | undefined {
  const value = owner[name];
  if (value !== undefined) return value ?? undefined;
  return (owner as Record<string, Owner[Name]>)[toProtocolName(name)] ?? undefined;
}

/** The spelling by which a member is read; nothing if it is absent. */
export function findSpelling(owner: JsonObject, name: string): string | undefined {
  if (findMember(owner, name) === undefined) return undefined;
  return owner[name] === undefined ? toProtocolName(name) : name;
}

const PROTOCOL_NAMES = new Map<string, string>();

function toProtocolName(name: string): string {
  const known = PROTOCOL_NAMES.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  PROTOCOL_NAMES.set(name, made);
  return made;
}

/** Google's reason for blocking a prompt, if any. */
export function findBlockReason(feedback: JsonValue | undefined): string | undefined {
  const reason = isJsonObject(feedback) ? feedback['blockReason'] : undefined;
  const isWord = typeof reason === 'string' && reason !== '' && reason !== 'BLOCKED_REASON_UNSPECIFIED';
  return isWord ? reason : undefined;
}

/** A copy of an object without some members. */
export function without(owner: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(owner).filter(([name]) => !names.includes(name)));
}
