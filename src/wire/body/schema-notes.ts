import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import type { JsonObject, JsonValue } from '#base';
import type { Unchecked } from './unchecked.ts';

// What the check of a body needs alongside its JSON Schema. A symbol holds it, so that the OpenAPI document has none of it.

const NOTES = Symbol('notes');

/** The steps to a fault, from the checked value on, and the sentence about it. */
export interface SchemaFault {
  steps: (string | number)[];
  complaint: string;
}

export interface SchemaNotes {
  /** Not checked: the decoder treats a value of another kind as absent. Objects alone may still be checked. */
  lenient?: 'entirely' | 'but-objects';
  /** The kind named to a caller who sent another. */
  expected?: string;
  /** The whole sentence about a value of another kind. */
  complaint?: string;
  /** The sentence about the word that selects one of several objects. */
  unknown?: string;
  empty?: string;
  tooMany?(most: number, given: number): string;
  /** The index of the alternative for an object; by default the one with its `type` or `role`. */
  select?(value: JsonObject): number | SchemaFault;
  /** What a schema cannot express; runs after the members are checked. */
  rule?(value: JsonValue): SchemaFault | undefined;
  /** The schema to check by, where the document shows another. */
  like?(): TSchema;
}

export function notesOf(schema: TSchema): SchemaNotes {
  return (schema as { [NOTES]?: SchemaNotes })[NOTES] ?? {};
}

/** Adds notes to a schema that is used nowhere else. */
export function noted<Schema extends TSchema>(schema: Schema, notes: SchemaNotes): Schema {
  return Object.assign(schema, { [NOTES]: { ...notesOf(schema), ...notes } });
}

/** A member that decoders treat as absent if it is of another kind. */
export function lenient<Schema extends TSchema>(schema: Schema): TUnsafe<Unchecked<Static<Schema>>> {
  return noted(Type.Unsafe<Unchecked<Static<Schema>>>(schema), { lenient: 'entirely' });
}

type NoObject = string | number | boolean | null | JsonValue[];

/** The same, but an object is checked. */
export function lenientObject<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | NoObject> {
  return noted(Type.Unsafe<Static<Schema> | NoObject>(schema), { lenient: 'but-objects' });
}
