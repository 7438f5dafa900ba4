/** A JSON object that somebody else wrote: any member may be missing or of another type. */
export type Json = Record<string, unknown>;

export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const toObjects = (value: unknown): Json[] => toList(value).map(toObject);
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const MOST_PLACES = 10_000;

/** The place that a stream gives to an item; the first for what no stream has. */
export function toPlace(value: unknown): number {
  const place = Number(value ?? 0);
  return Number.isInteger(place) && place >= 0 && place < MOST_PLACES ? place : 0;
}

/** Parts of `JSON` that its types and older browsers lack: how a number is written. */
const WORDED = JSON as unknown as {
  parse(
    text: string,
    revive: (name: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
};

/** A value as text: JSON in lines, or what is JSON in a text, with its numbers as they are written. */
export function printJson(value: unknown): string {
  const read = typeof value === 'string' ? parseForPrint(value) : value;
  if (read === undefined) return toText(value);
  return typeof read === 'object' ? JSON.stringify(read, null, 2) : toText(value) || JSON.stringify(read);
}

function parseForPrint(text: string): unknown {
  try {
    return WORDED.parse(text, (_name, value, { source } = {}) =>
      typeof value === 'number' && source !== undefined && WORDED.rawJSON ? WORDED.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

function parseAny(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object that a text is; undefined if it is none. */
export function parse(text: string): Json | undefined {
  const value = parseAny(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The objects that server-sent events carry. */
export function readEvents(text: string): Json[] {
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parse(line.slice('data:'.length)))
    .filter((event) => event !== undefined);
}

/** Adds a text to a member that is one. */
export function append(object: Json, name: string, text: unknown): void {
  if (typeof text === 'string' && text !== '') object[name] = toText(object[name]) + text;
}
