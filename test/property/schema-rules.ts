import assert from 'node:assert/strict';
import { type JsonObject, isJsonObject } from '#base';
import { toObject } from './every-format.ts';
import { findUnknownRequired, listPositions, listTexts } from './schema-positions.ts';

/** Throws if a schema breaks a reader's rule; the rules are written independently of the code that follows them. */
type SchemaRule = (schema: JsonObject) => void;

/** Google's schema: a subset of OpenAPI; any other keyword is refused, as is an array without items. */
const GEMINI_KEYWORDS = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'properties',
  'required',
  'anyOf',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'propertyOrdering',
]);
const GEMINI_TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const GEMINI_FORMATS = new Set<unknown>(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);

export const keepsGeminiRules: SchemaRule = (schema) => {
  for (const position of listPositions(schema)) {
    for (const name of Object.keys(position)) assert.ok(GEMINI_KEYWORDS.has(name), `keyword ${name}`);
    const { type, format, items, enum: choices } = position;
    if (type !== undefined) assert.ok(GEMINI_TYPES.has(type), `type ${JSON.stringify(type)}`);
    if (format !== undefined) assert.ok(GEMINI_FORMATS.has(format), `format ${JSON.stringify(format)}`);
    if (type === 'array') assert.ok(isJsonObject(items), 'an array has items');
    if (choices !== undefined)
      assert.ok(Array.isArray(choices) && choices.every(isChoice), 'choices are texts');
  }
  assert.deepEqual(findUnknownRequired(schema), []);
};

function isChoice(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** What Anthropic's constrained decoding supports (structured outputs and strict tools). */
const ANTHROPIC_KEYWORDS = new Set([
  'type',
  'enum',
  'const',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'properties',
  'items',
  'required',
  'additionalProperties',
  'description',
  'title',
  'default',
  'format',
  'minItems',
]);

export const keepsAnthropicRules: SchemaRule = (schema) => {
  for (const position of listPositions(schema)) {
    for (const name of Object.keys(position)) assert.ok(ANTHROPIC_KEYWORDS.has(name), `keyword ${name}`);
    const { type, properties, additionalProperties, minItems } = position;
    if (type === 'object' || properties !== undefined)
      assert.equal(additionalProperties, false, 'objects are closed');
    if (minItems !== undefined) assert.ok(minItems === 0 || minItems === 1, 'minItems is 0 or 1');
  }
};

/** Keywords that OpenAI's strict mode refuses. */
const STRICT_REFUSED = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
];

/** What OpenAI's strict mode supports: closed objects that require every property, and no conditions. */
export const keepsStrictRules: SchemaRule = (schema) => {
  assert.equal(schema['type'], 'object');
  for (const position of listPositions(schema)) {
    const { type, properties, required, additionalProperties } = position;
    for (const name of STRICT_REFUSED) assert.equal(position[name], undefined, `keyword ${name}`);
    if (type !== 'object' && properties === undefined) continue;
    assert.equal(additionalProperties, false, 'objects are closed');
    assert.deepEqual(Object.keys(toObject(properties)).sort(), listTexts(required).sort(), 'all is required');
  }
};

export function obeys(rule: SchemaRule, schema: JsonObject): boolean {
  try {
    rule(schema);
    return true;
  } catch {
    return false;
  }
}
