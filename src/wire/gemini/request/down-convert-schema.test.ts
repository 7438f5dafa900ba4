import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { downConvertSchema } from './down-convert-schema.ts';

const convert = (properties: JsonObject, rest: JsonObject = {}): JsonObject => {
  const converted = downConvertSchema({ type: 'object', properties, ...rest });
  assert.ok(converted && isJsonObject(converted['properties']));
  return converted['properties'];
};

test('[D-68] unsupported keywords are removed, and properties of the same names stay', () => {
  const string = { type: 'string' };
  const converted = downConvertSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'tool',
    $comment: 'x',
    type: 'object',
    additionalProperties: false,
    patternProperties: { '^x': string },
    propertyNames: { pattern: '^a' },
    properties: {
      $id: string,
      format: string,
      additionalProperties: { type: 'object', properties: { const: string, $ref: string }, minProperties: 1 },
    },
    required: ['$id'],
  });
  assert.deepEqual(converted, {
    type: 'object',
    properties: {
      $id: string,
      format: string,
      additionalProperties: { type: 'object', properties: { const: string, $ref: string } },
    },
    required: ['$id'],
  });
});

test('[D-69] a list of types becomes alternatives, null among them becomes nullable', () => {
  assert.deepEqual(
    convert({
      a: { type: ['string', 'null'], description: 'A.' },
      b: { type: ['string', 'integer', 'null'], description: 'B.', minimum: 3 },
      c: { anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'null' }] },
    }),
    {
      a: { type: 'string', nullable: true, description: 'A.' },
      b: {
        description: 'B.',
        anyOf: [
          { type: 'string', minimum: 3 },
          { type: 'integer', minimum: 3 },
        ],
        nullable: true,
      },
      c: { type: 'array', items: { type: 'number' }, nullable: true },
    },
  );
});

test('[D-71] enum values are strings: numbers are converted, null becomes nullable, const an enum of one', () => {
  assert.deepEqual(
    convert({
      words: { enum: ['a', 'b', null] },
      numbers: { type: 'integer', enum: [1, 2] },
      one: { const: 'only' },
      mixed: { enum: ['a', 1] },
      empty: { type: 'string', enum: ['', 'a'] },
    }),
    {
      words: { type: 'string', enum: ['a', 'b'], nullable: true },
      numbers: { type: 'integer', format: 'enum', enum: ['1', '2'] },
      one: { type: 'string', enum: ['only'] },
      mixed: { description: '(one of: ["a",1])' },
      empty: { type: 'string', description: '(one of: ["","a"])' },
    },
  );
});

test('[D-71] required names that no property has go; a tool without properties has no parameters', () => {
  const converted = downConvertSchema({ type: 'object', properties: { a: {} }, required: ['a', 'b', 7] });
  assert.deepEqual(converted?.['required'], ['a']);
  for (const schema of [{}, { type: 'object' }, { type: 'object', properties: {}, required: ['x'] }])
    assert.equal(downConvertSchema(schema), undefined);
});

test('references are put in place, recursive ones are cut where they come round', () => {
  const Node = {
    type: 'object',
    properties: { value: { type: 'string' }, next: { $ref: '#/$defs/Node', description: 'The next.' } },
  };
  assert.deepEqual(convert({ head: { $ref: '#/$defs/Node' }, all: { $ref: '#' } }, { $defs: { Node } }), {
    head: {
      type: 'object',
      properties: { value: { type: 'string' }, next: { type: 'object', description: 'The next.' } },
    },
    all: { type: 'object' },
  });
});

test('a recursive schema becomes an object where it is cut if its type is object, else text', () => {
  const cutOf = (schema: JsonObject): unknown => {
    const createProperties = () => ({ self: { $ref: '#/$defs/self' } });
    const nested = { type: 'object', properties: createProperties() };
    const anyOf = [nested, { type: 'string' }];
    const converted = convert(createProperties(), { $defs: { self: { ...schema, anyOf } } });
    const [first] = (converted['self'] as { anyOf: { properties: JsonObject }[] }).anyOf;
    return first?.properties['self'];
  };
  assert.deepEqual(cutOf({ type: 'object' }), { type: 'object' });
  assert.deepEqual(cutOf({ type: ['object', 'null'] }), { type: 'object' });
  assert.deepEqual(cutOf({ type: ['array', 'null'] }), { type: 'string' });
  assert.deepEqual(cutOf({}), { type: 'string' });
});

test('an unresolvable reference is removed, and its siblings stay', () => {
  assert.deepEqual(
    convert({ a: { $ref: '#/nowhere', description: 'A.' }, b: { $ref: 'https://x', type: 'string' } }),
    { a: { description: 'A.' }, b: { type: 'string' } },
  );
});

test('parts of allOf are joined, with the names each requires of the other', () => {
  const converted = downConvertSchema({
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] },
      { properties: { b: { type: 'string' } }, required: ['zz'] },
    ],
  });
  assert.deepEqual(Object.keys((converted?.['properties'] ?? {}) as JsonObject).sort(), ['a', 'b']);
  assert.deepEqual(converted?.['required'], ['b']);
});

test('alternatives beside properties become properties, at the root and below', () => {
  const a = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const b = { type: 'object', properties: { b: { type: 'string' } } };
  const both = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
  assert.deepEqual(downConvertSchema({ anyOf: [a, b] }), both);
  assert.deepEqual(downConvertSchema({ ...b, oneOf: [a, { type: 'null' }] })?.['required'], ['a']);
  assert.deepEqual(convert({ x: { ...a, anyOf: [b, { required: ['c'] }] } })['x'], a);
  assert.deepEqual(
    convert({ x: { description: 'X.', type: 'string', anyOf: [{ pattern: 'a' }, { pattern: 'b' }] } })['x'],
    {
      description: 'X.',
      anyOf: [
        { type: 'string', pattern: 'a' },
        { type: 'string', pattern: 'b' },
      ],
    },
  );
});

test('constraints without a Gemini keyword are put in the description', () => {
  assert.deepEqual(
    convert({ port: { type: 'integer', exclusiveMinimum: 0, default: 80, description: 'A port.' } }),
    {
      port: { type: 'integer', description: 'A port. (exclusiveMinimum: 0, default: 80)' },
    },
  );
});

test('an array always has items', () => {
  assert.deepEqual(convert({ a: { type: 'array' }, b: { type: 'array', items: [{ type: 'string' }] } }), {
    a: { type: 'array', items: { type: 'string' } },
    b: { type: 'array', items: { type: 'string' } },
  });
});

test('what thousands of references repeat of one schema is bounded, and usual repetition is complete', () => {
  const repeat = (count: number, schema: JsonObject): JsonObject =>
    convert(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { $ref: '#/$defs/one' }])),
      { $defs: { one: schema } },
    );
  const words = Array.from({ length: 80_000 }, (_, at) => `word ${at}`);
  const large: JsonObject[] = [
    { type: 'string', enum: words },
    { type: 'string', default: words },
    { type: 'string', pattern: 'x'.repeat(2 ** 20), description: 'x'.repeat(2 ** 20) },
    { type: 'object', properties: { a: {} }, required: words },
    { $ref: `#/${'$defs/'.repeat(200_000)}` },
    { $ref: '#/none', ...Object.fromEntries(words.map((word) => [word, 1])) },
  ];
  for (const schema of large) {
    const { length } = JSON.stringify(repeat(3_900, schema));
    assert.ok(length < 8_000_000, `${length} of ${Object.keys(schema).join()}`);
  }
  const choices = words.slice(0, 200);
  const usual = Object.values(repeat(100, { type: 'string', enum: choices }));
  for (const property of usual) assert.deepEqual(property, { type: 'string', enum: choices });
});

test('parts and alternatives of a schema are merged in one step, however many there are', () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `n${at}`);
  const parts = names.map((name) => ({ required: [name] }));
  const base = { type: 'object', properties: { n0: {} }, required: names };
  assert.deepEqual(downConvertSchema({ ...base, allOf: parts }), {
    type: 'object',
    properties: { n0: {} },
    required: ['n0'],
  });
});

test('references that double at every step do not blow up', () => {
  const $defs: JsonObject = { d40: { type: 'string' } };
  for (let at = 0; at < 40; at += 1) {
    const next = { $ref: `#/$defs/d${at + 1}` };
    $defs[`d${at}`] = { type: 'object', properties: { left: next, right: next } };
  }
  const text = JSON.stringify(convert({ root: { $ref: '#/$defs/d0' } }, { $defs }));
  assert.ok(text.length < 1_000_000, `${text.length}`);
});

const KNOWN = new Set(
  'type format title description nullable enum items minItems maxItems properties required propertyOrdering minimum maximum minLength maxLength pattern anyOf'.split(
    ' ',
  ),
);
const NAMES = [
  '$id',
  '$ref',
  'format',
  'additionalProperties',
  'const',
  'type',
  'properties',
  'enum',
  'required',
  'a',
  'b',
  '__proto__',
];

const name = fc.constantFrom(...NAMES);
const schemaOf = (depth: number): fc.Arbitrary<JsonObject> => {
  const inner = depth === 0 ? fc.constant<JsonObject>({ type: 'string' }) : schemaOf(depth - 1);
  return fc
    .record(
      {
        type: fc.constantFrom<JsonValue>(
          'string',
          'number',
          'object',
          'array',
          ['string', 'null'],
          ['object', 'array'],
          'null',
          7,
        ),
        description: fc.constantFrom('words', ''),
        format: fc.constantFrom('uri', 'date-time', 'int32'),
        enum: fc.array(fc.constantFrom<JsonValue>('x', '', 1, null, true, {}), { maxLength: 3 }),
        const: fc.constantFrom<JsonValue>('x', 2, null),
        additionalProperties: fc.constant(false),
        required: fc.array(name, { maxLength: 2 }),
        properties: fc.dictionary(name, inner, { maxKeys: 3 }),
        items: fc.oneof<fc.Arbitrary<JsonValue>[]>(inner, fc.array(inner, { maxLength: 2 }), fc.boolean()),
        anyOf: fc.array(inner, { maxLength: 2 }),
        oneOf: fc.array(inner, { maxLength: 2 }),
        allOf: fc.array(inner, { maxLength: 2 }),
        not: inner,
        $ref: fc.constantFrom('#', '#/properties/a', '#/properties/b/items', '#/x', '%'),
        $schema: fc.constant('s'),
      },
      { requiredKeys: [] },
    )
    .map((value): JsonObject => ({ ...value }));
};
const schema = schemaOf(2);

/** Walks the schema positions of a converted schema and fails on a keyword Gemini does not know. */
function check(value: JsonValue | undefined, path: string): void {
  assert.ok(isJsonObject(value), path);
  for (const key of Object.keys(value)) assert.ok(KNOWN.has(key), `${path} holds ${key}`);
  const { properties, items, anyOf, required, enum: choices } = value;
  if (properties !== undefined) {
    assert.ok(isJsonObject(properties));
    for (const [key, inner] of Object.entries(properties)) check(inner, `${path}.${key}`);
  }
  if (Array.isArray(required))
    for (const key of required)
      assert.ok(
        isJsonObject(properties) && Object.hasOwn(properties, key as string),
        `${path} requires ${JSON.stringify(key)}`,
      );
  if (items !== undefined) check(items, `${path}[]`);
  if (Array.isArray(anyOf)) anyOf.forEach((inner, at) => check(inner, `${path}|${at}`));
  if (Array.isArray(choices))
    assert.ok(
      choices.every((choice) => typeof choice === 'string' && choice !== ''),
      path,
    );
  assert.ok(value['type'] === undefined || typeof value['type'] === 'string', path);
}

test('any schema has only Gemini’s keywords afterwards and keeps every property name', () => {
  fc.assert(
    fc.property(schema, fc.dictionary(name, schema, { minKeys: 1, maxKeys: 4 }), (root, properties) => {
      const given: JsonObject = { ...root, type: 'object', properties };
      delete given['$ref'];
      delete given['allOf'];
      delete given['anyOf'];
      delete given['oneOf'];
      const before = JSON.stringify(given);
      const converted = downConvertSchema(given);
      assert.ok(converted);
      check(converted, '$');
      assert.deepEqual(Object.keys(converted['properties'] as JsonObject), Object.keys(properties));
      assert.equal(JSON.stringify(given), before, 'the caller’s schema is left alone');
    }),
  );
});
