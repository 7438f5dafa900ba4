import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { downConvertSchema } from './request/down-convert-schema.ts';

/** What a property's schema becomes. */
function convert(schema: JsonObject): unknown {
  const { properties } = downConvertSchema({ type: 'object', properties: { a: schema } }) ?? {};
  return (properties as JsonObject | undefined)?.['a'];
}

test('a schema of several types keeps for each what applies to it', () => {
  const properties = { x: { type: 'string' } };
  assert.deepEqual(convert({ type: ['object', 'string'], properties }), {
    anyOf: [{ type: 'object', properties }, { type: 'string' }],
  });
  assert.deepEqual(convert({ type: ['string', 'integer', 'number'], enum: ['a', 1, 2.5] }), {
    anyOf: [
      { type: 'string', enum: ['a'] },
      { type: 'integer', format: 'enum', enum: ['1'] },
      { type: 'number', format: 'enum', enum: ['1', '2.5'] },
    ],
  });
  assert.deepEqual(convert({ type: ['string', 'boolean'], enum: ['a'] }), {
    anyOf: [{ type: 'string', enum: ['a'] }, { type: 'boolean' }],
  });
});

test('the type of a schema without one follows from its members', () => {
  const properties = { x: { type: 'string' } };
  assert.deepEqual(convert({ properties }), { type: 'object', properties });
  assert.deepEqual(convert({ items: { type: 'number' } }), { type: 'array', items: { type: 'number' } });
  assert.deepEqual(convert({ prefixItems: [{ type: 'number' }] }), {
    type: 'array',
    items: { type: 'number' },
  });
  assert.deepEqual(convert({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }), {
    type: 'array',
    items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
  });
  assert.deepEqual(convert({ type: 'array', items: [{ type: 'number' }] }), {
    type: 'array',
    items: { type: 'number' },
  });
  assert.deepEqual(convert({}), {});
});

test('a format that Gemini knows for the type stays, another goes into the description', () => {
  assert.deepEqual(convert({ type: 'string', format: 'date-time' }), { type: 'string', format: 'date-time' });
  assert.deepEqual(convert({ type: 'integer', format: 'int32' }), { type: 'integer', format: 'int32' });
  assert.deepEqual(convert({ type: 'string', format: 'email' }), {
    type: 'string',
    description: '(format: "email")',
  });
  assert.deepEqual(convert({ type: 'string', format: 'date-time', default: 'x' }), {
    type: 'string',
    format: 'date-time',
    description: '(default: "x")',
  });
  assert.deepEqual(convert({ type: 'string', format: 5 }), { type: 'string', description: '(format: 5)' });
});

test('what is optional stays: order of properties, null, names that are required', () => {
  const properties = { x: { type: 'string' } };
  assert.deepEqual(
    convert({ type: 'object', properties, propertyOrdering: ['x'], required: ['x', 'x', 'y'] }),
    {
      type: 'object',
      properties,
      propertyOrdering: ['x'],
      required: ['x'],
    },
  );
  assert.deepEqual(convert({ type: 'string', nullable: true }), { type: 'string', nullable: true });
  assert.deepEqual(convert({ type: 'string', nullable: false }), { type: 'string' });
  const joined = convert({ allOf: [{ type: 'object', properties }] });
  assert.deepEqual(joined, { type: 'object', properties });
});
