import type { JsonValue } from '#base';
import type { JsonSchema } from '../../body/json-schema.ts';
import type { Members } from '../../body/unchecked.ts';

/** Converts `enum` and `const` of a JSON Schema: Gemini lists only strings, numbers as text under the format `enum`. */
interface EnumMembers {
  members: Members<JsonSchema>;
  /** Whether `null` is among the values. */
  nullable: boolean;
  /** Values that cannot be listed and go into the description. */
  given?: JsonValue[];
}

export function convertEnum(values: JsonValue[], type: string | undefined): EnumMembers {
  const nullable = values.includes(null);
  const listed = values.filter((value) => value !== null);
  // Google refuses an empty string as a choice.
  const strings = listed.filter((value) => typeof value === 'string' && value !== '') as string[];
  if (listed.length === 0) return { members: {}, nullable };
  if (listed.every((value) => typeof value === 'string')) {
    if (strings.length < listed.length || (type !== undefined && type !== 'string'))
      return { members: { type: type ?? 'string' }, nullable, given: listed };
    return { members: { type: 'string', enum: distinct(strings) }, nullable };
  }
  if (listed.every((value) => typeof value === 'number') && type !== 'string') {
    const numeric = listed.every((value) => Number.isInteger(value)) ? 'integer' : 'number';
    return {
      members: { type: type ?? numeric, format: 'enum', enum: distinct(listed.map(String)) },
      nullable,
    };
  }
  return { members: type === undefined ? {} : { type }, nullable, given: listed };
}

function distinct(words: string[]): string[] {
  return [...new Set(words)];
}
