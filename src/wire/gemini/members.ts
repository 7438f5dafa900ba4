import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** A member by its name in JSON, or in the words of the protocol file, which Google's own examples mix: `inlineData`, `inline_data`. */
export function findMember<Owner extends object, Name extends keyof Owner & string>(
  owner: Owner,
  name: Name,
): NonNullable<Owner[Name]> | undefined {
  const value = owner[name];
  if (value !== undefined) return value ?? undefined;
  return (owner as Record<string, Owner[Name]>)[toProtocolName(name)] ?? undefined;
}

/** Which of its names a member is read by; nothing where it is absent. */
export function findSpelling(owner: JsonObject, name: string): string | undefined {
  if (findMember(owner, name) === undefined) return undefined;
  return owner[name] === undefined ? toProtocolName(name) : name;
}

/** The names asked for are our own few. */
const PROTOCOL_NAMES = new Map<string, string>();

function toProtocolName(name: string): string {
  const known = PROTOCOL_NAMES.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  PROTOCOL_NAMES.set(name, made);
  return made;
}

/** Why Google blocked a prompt, where it says so in a word. */
export function findBlockReason(feedback: JsonValue | undefined): string | undefined {
  const reason = isJsonObject(feedback) ? feedback['blockReason'] : undefined;
  const isWord = typeof reason === 'string' && reason !== '' && reason !== 'BLOCKED_REASON_UNSPECIFIED';
  return isWord ? reason : undefined;
}

/** An object without some of its members. */
export function without(owner: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(owner).filter(([name]) => !names.includes(name)));
}
