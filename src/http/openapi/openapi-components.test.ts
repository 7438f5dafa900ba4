import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ENDPOINTS } from '../endpoints/index.ts';
import { Components } from './openapi-components.ts';

const { schemas: shared, described } = describeAll();

function describeAll() {
  const components = new Components();
  const every = ENDPOINTS.flatMap(({ method, path, body, responses }) => [
    { name: `${method} ${path}`, schema: body },
    ...Object.entries(responses).map(([status, { schema }]) => ({
      name: `${method} ${path} ${status}`,
      schema,
    })),
  ]);
  const found = every.flatMap(({ name, schema }) => (schema ? [{ name, schema }] : []));
  const all = [...new Map(found.map((each) => [each.schema, each])).values()].map(({ name, schema }) => ({
    name,
    schema,
    text: components.describe(schema as unknown as JsonObject),
  }));
  return { schemas: components.schemas, described: all };
}

/** The schema with its references followed. */
function resolve(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(resolve);
  if (!isJsonObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string') return resolve(shared[$ref.slice('#/components/schemas/'.length)] ?? null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member ?? null)]));
}

const WRONG = fc.constantFrom<JsonValue[]>(
  null,
  true,
  -1,
  7,
  0.5,
  '',
  'text',
  '5m',
  [],
  [null],
  {},
  { type: 'text' },
);

/** Values that mostly fit a schema. */
function valuesOf(schema: JsonObject): fc.Arbitrary<JsonValue> {
  const right = rightOf(schema);
  return fc.oneof({ arbitrary: right, weight: 12 }, { arbitrary: WRONG, weight: 1 });
}

function rightOf(schema: JsonObject): fc.Arbitrary<JsonValue> {
  const { anyOf, type, items, properties, enum: words, const: word, minimum, examples } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as JsonObject[]).map(valuesOf));
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if (word !== undefined) return fc.constant(word);
  if (Array.isArray(examples) && isJsonObject(examples[0])) return fc.constant(examples[0]);
  if (isJsonObject(properties)) return objectsOf(schema, properties);
  if (type === 'array' && isJsonObject(items)) return fc.array(valuesOf(items), { maxLength: 2 });
  if (type === 'string') return fc.constantFrom('12.50', 'text', 'https://example.com/a.png');
  if (type === 'integer' || type === 'number')
    return fc.constantFrom((minimum ?? 1) as number, 1_000_000_000);
  if (type === 'boolean') return fc.boolean();
  return type === 'null' ? fc.constant(null) : WRONG;
}

function objectsOf({ required = [] }: JsonObject, properties: JsonObject): fc.Arbitrary<JsonValue> {
  const members = Object.entries(properties).map(([name, member]) => {
    const values = valuesOf(member as JsonObject);
    const isRequired = (required as string[]).includes(name);
    return [name, fc.option(values, { nil: undefined, freq: isRequired ? 40 : 2 })] as const;
  });
  return fc
    .record(Object.fromEntries(members))
    .map((object) => JSON.parse(JSON.stringify(object)) as JsonValue);
}

test('every schema of the document accepts exactly what the checked schema accepts', () => {
  const verdicts = { accepted: 0, refused: 0 };
  for (const { name, schema, text } of described) {
    const [checked, documented] = [Compile(schema), Compile(resolve(text) as TSchema)];
    fc.assert(
      fc.property(valuesOf(schema as unknown as JsonObject), (value) => {
        const isRight = checked.Check(value);
        verdicts[isRight ? 'accepted' : 'refused'] += 1;
        assert.equal(documented.Check(value), isRight, `${name} ${JSON.stringify(value)}`);
      }),
      { numRuns: 60, seed: 16 },
    );
  }
  assert.ok(Math.min(verdicts.accepted, verdicts.refused) > 1_000, JSON.stringify(verdicts));
});

const SPELLINGS: [title: string, given: JsonObject, spelled: JsonObject][] = [
  ['a text or null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: ['string', 'null'] }],
  [
    'words or null',
    {
      anyOf: [
        {
          anyOf: [
            { type: 'string', const: 'a' },
            { type: 'string', const: 'b' },
          ],
        },
        { type: 'null' },
      ],
      description: 'which',
    },
    { type: ['string', 'null'], enum: ['a', 'b', null], description: 'which' },
  ],
  ['one word', { anyOf: [{ type: 'string', const: 'a' }] }, { type: 'string', const: 'a' }],
  [
    'nested alternatives',
    { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] },
    { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
  ],
  [
    'a map of texts',
    { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
    { type: 'object', additionalProperties: { type: 'string' } },
  ],
  ['any object', { type: 'object', properties: {} }, { type: 'object' }],
];

for (const [title, given, spelled] of SPELLINGS)
  test(`the document spells ${title} in the shortest way`, () => {
    assert.deepEqual(new Components().describe(given), spelled);
  });

test('a schema with a title is written once and referred to', () => {
  const components = new Components();
  const key = { type: 'object', title: 'Key', properties: { id: { type: 'string' } } };
  const text = components.describe({ anyOf: [key, { type: 'null' }], description: 'the key' });
  assert.deepEqual(text, {
    anyOf: [{ $ref: '#/components/schemas/Key' }, { type: 'null' }],
    description: 'the key',
  });
  assert.deepEqual(components.schemas, {
    Key: { type: 'object', properties: { id: { type: 'string' } } },
  });
  assert.throws(() => components.describe({ type: 'string', title: 'Key' }), /two schemas are called Key/);
});
