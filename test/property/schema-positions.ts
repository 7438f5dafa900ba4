import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { listObjects, toObject } from './every-format.ts';

/** Keywords that contain one schema, and those that contain schemas by name. */
const CHILDREN = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'contains'];
const MORE_CHILDREN = ['additionalProperties', 'propertyNames'];
const MAPS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];

/** Every schema within a schema, itself first; properties named like a keyword do not count. */
export function listPositions(schema: JsonObject): JsonObject[] {
  const children = [...CHILDREN, ...MORE_CHILDREN].flatMap((name) => listObjects(schema[name]));
  const named = MAPS.flatMap((name) => Object.values(toObject(schema[name])).filter(isJsonObject));
  return [schema, ...[...children, ...named].flatMap(listPositions)];
}

/** Keywords whose schemas apply to the same value, or to the values in a list. */
const SAME_VALUE = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf'];

/** Every property a value may have, as a path such as `edits/old_text`, independent of how the schema is written. */
export function listProperties(schema: JsonObject): Set<string> {
  const paths = new Set<string>();
  collect(schema, '', paths);
  return paths;
}

function collect(schema: JsonObject, prefix: string, paths: Set<string>): void {
  for (const name of SAME_VALUE) for (const child of listObjects(schema[name])) collect(child, prefix, paths);
  for (const [name, value] of Object.entries(toObject(schema['properties']))) {
    const path = `${prefix}/${name}`;
    paths.add(path);
    if (isJsonObject(value)) collect(value, path, paths);
  }
}

/** Required names that are not properties of the schema. */
export function findUnknownRequired(schema: JsonObject): string[] {
  return listPositions(schema).flatMap(({ required, properties }) =>
    listTexts(required).filter((name) => !Object.hasOwn(toObject(properties), name)),
  );
}

export function listTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
