import type { JsonObject } from '#base';

/** The object itself if it has none of the members, else a copy without them. */
export function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  for (const name of names) {
    if (object[name] !== undefined) {
      return Object.fromEntries(Object.entries(object).filter(([own]) => !names.has(own)));
    }
  }
  return object;
}
