import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { isDeepStrictEqual } from 'node:util';

/** Members of a schema that are values, not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples', 'required', 'type']);

/** The parts of an OpenAPI document that several places refer to: schemas with a title, and responses. */
export class Components {
  readonly schemas: Record<string, JsonObject> = {};
  readonly responses: Record<string, JsonObject> = {};

  /** The schema as the document has it: its titled parts are references, alternatives have their shortest spelling. */
  describe(schema: JsonObject): JsonObject {
    const { title, ...rest } = Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, this.#describeMember(key, value ?? null)]),
    );
    const spelled = simplify(rest);
    return typeof title === 'string' ? this.#refer('schemas', title, spelled) : spelled;
  }

  /** A reference to the response, or the response itself where another one has the name. */
  share(name: string, response: JsonObject): JsonObject {
    const known = this.responses[name];
    if (known && !isDeepStrictEqual(known, response)) return response;
    return this.#refer('responses', name, response);
  }

  #describeMember(key: string, value: JsonValue): JsonValue {
    if (VALUES.has(key)) return value;
    if (Array.isArray(value)) return value.map((each) => this.#describeMember('', each));
    if (!isJsonObject(value)) return value;
    if (key !== 'properties' && key !== 'patternProperties') return this.describe(value);
    const members = Object.entries(value).map(([name, member]) => [
      name,
      isJsonObject(member) ? this.describe(member) : member,
    ]);
    return Object.fromEntries(members) as JsonObject;
  }

  #refer(kind: 'responses' | 'schemas', name: string, part: JsonObject): JsonObject {
    const known = (this[kind][name] ??= part);
    if (!isDeepStrictEqual(known, part)) throw new Error(`two ${kind} are called ${name}`);
    return { $ref: `#/components/${kind}/${name}` };
  }
}

/** The same schema, spelled as client generators support it best. */
function simplify(schema: JsonObject): JsonObject {
  const { anyOf, patternProperties, properties, ...rest } = schema;
  const spelled: JsonObject = { ...rest };
  if (isJsonObject(properties) && Object.keys(properties).length > 0) spelled['properties'] = properties;
  if (isJsonObject(patternProperties)) Object.assign(spelled, simplifyPatterns(patternProperties));
  return Array.isArray(anyOf) ? simplifyChoice(anyOf as JsonObject[], spelled) : spelled;
}

function simplifyPatterns(patterns: JsonObject): JsonObject {
  const any = patterns['^.*$'];
  return any !== undefined && Object.keys(patterns).length === 1
    ? { additionalProperties: any }
    : { patternProperties: patterns };
}

const NULL: JsonObject = { type: 'null' };

function simplifyChoice(given: readonly JsonObject[], siblings: JsonObject): JsonObject {
  const choices = given.flatMap((choice) => listChoices(choice));
  const others = choices.filter((choice) => !isDeepStrictEqual(choice, NULL));
  const isNullable = others.length < choices.length;
  const merged = others.length === 1 ? others[0] : mergeWords(others);
  if (!merged) return { anyOf: isNullable ? [...others, NULL] : others, ...siblings };
  if (!isNullable) return { ...merged, ...siblings };
  const { type, enum: words, const: word, ...rest } = merged;
  if (typeof type !== 'string') return { anyOf: [merged, NULL], ...siblings };
  const listed = Array.isArray(words) ? words : word === undefined ? undefined : [word];
  return { type: [type, 'null'], ...(listed && { enum: [...listed, null] }), ...rest, ...siblings };
}

/** The alternatives of a union without other members. */
function listChoices(choice: JsonObject): JsonObject[] {
  const { anyOf, type, enum: words, ...rest } = choice;
  if (Array.isArray(anyOf) && Object.keys(choice).length === 1) return anyOf as JsonObject[];
  if (!Array.isArray(type)) return [choice];
  const kinds = type.filter((each) => each !== 'null');
  if (kinds.length === type.length || kinds.length !== 1) return [choice];
  const listed = Array.isArray(words) && { enum: words.filter((word) => word !== null) };
  return [{ type: kinds[0], ...listed, ...rest }, NULL];
}

/** One enum, if the choices are strings. */
function mergeWords(choices: readonly JsonObject[]): JsonObject | undefined {
  const words = choices.map(({ type, const: word, enum: listed, ...rest }) =>
    type === 'string' && Object.keys(rest).length === 0 ? (listed ?? (word === undefined ? [] : [word])) : [],
  ) as JsonValue[][];
  return choices.length > 0 && words.every((list) => list.length > 0)
    ? { type: 'string', enum: words.flat() }
    : undefined;
}
