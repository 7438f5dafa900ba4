import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '#base';
import { sanitizeSchema } from './sanitize-schema.ts';

test('[D-73] constraints that Anthropic refuses are put in the description', () => {
  assert.deepEqual(
    sanitizeSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, maximum: 9, description: 'Years.' },
        mail: { type: 'string', format: 'email' },
        path: { type: 'string', format: 'json-pointer', pattern: '^/' },
        list: { type: 'array', items: { type: 'object', properties: {} }, minItems: 1, maxItems: 4 },
        any: { oneOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
      },
      required: ['age'],
      additionalProperties: true,
    }),
    {
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'Years. (minimum: 0, maximum: 9)' },
        mail: { type: 'string', format: 'email' },
        path: { type: 'string', description: '(format: "json-pointer", pattern: "^/")' },
        list: {
          type: 'array',
          items: { type: 'object', properties: {}, additionalProperties: false },
          minItems: 1,
          description: '(maxItems: 4)',
        },
        any: { anyOf: [{ type: 'string', description: '(minLength: 1)' }, { type: 'null' }] },
      },
      required: ['age'],
      additionalProperties: false,
    },
  );
});

test('[D-68] properties named like keywords survive, definitions are processed, values are unchanged', () => {
  const schema = {
    type: ['object', 'null'],
    properties: {
      $id: { type: 'string' },
      format: { enum: [{ minimum: 1 }] },
      minimum: { $ref: '#/$defs/n' },
    },
    $defs: { n: { type: 'number', multipleOf: 2 } },
    default: { maximum: 3 },
  };
  assert.deepEqual(sanitizeSchema(schema), {
    ...schema,
    $defs: { n: { type: 'number', description: '(multipleOf: 2)' } },
    additionalProperties: false,
  });
});

test('a property named __proto__ stays a property', () => {
  const clean = sanitizeSchema(
    parseJsonObject('{"type":"object","properties":{"__proto__":{"type":"string","maxLength":1}}}') ?? {},
  );
  assert.equal(
    JSON.stringify(clean['properties']),
    '{"__proto__":{"type":"string","description":"(maxLength: 1)"}}',
  );
});
