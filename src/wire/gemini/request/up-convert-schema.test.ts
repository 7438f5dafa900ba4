import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { upConvertSchema } from './up-convert-schema.ts';

const CONVERTED: readonly (readonly [what: string, given: JsonObject, schema: JsonObject])[] = [
  [
    'types in capitals',
    { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    { type: 'object', properties: { a: { type: 'string' } } },
  ],
  ['several types', { type: ['STRING', 'NULL', 5] }, { type: ['string', 'null', 5] }],
  ['a type that is no word', { type: 5 }, { type: 5 }],
  ['null beside a type', { type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
  ['no null', { type: 'STRING', nullable: false }, { type: 'string' }],
  ['null of null', { type: 'NULL', nullable: true }, { type: 'null' }],
  ['null without a type', { description: 'D', nullable: true }, { description: 'D' }],
  [
    'null beside alternatives',
    { anyOf: [{ type: 'STRING' }], nullable: true },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
  ],
  [
    'null among values',
    { type: 'STRING', enum: ['a'], nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  ['an enum of Google’s', { type: 'STRING', format: 'enum', enum: ['1'] }, { type: 'string', enum: ['1'] }],
  ['another format', { type: 'STRING', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  [
    'numbers as text',
    { type: 'INTEGER', enum: ['1', ' ', 'x', 2] },
    { type: 'integer', enum: [1, ' ', 'x', 2] },
  ],
  ['broken numbers as text', { type: 'NUMBER', enum: ['1.5'] }, { type: 'number', enum: [1.5] }],
  [
    'counts as text',
    { type: 'ARRAY', min_items: '1', maxItems: '20', items: { type: 'STRING' } },
    { type: 'array', minItems: 1, maxItems: 20, items: { type: 'string' } },
  ],
  [
    'counts that are none',
    { minItems: 'x', maxItems: 3, title: '5' },
    { minItems: 'x', maxItems: 3, title: '5' },
  ],
  [
    'names with underscores',
    { any_of: [{ type: 'STRING' }, true], property_ordering: ['a'] },
    { anyOf: [{ type: 'string' }, true], propertyOrdering: ['a'] },
  ],
  [
    'other lists of schemas',
    { oneOf: [{ type: 'A' }], allOf: [{ type: 'B' }], prefixItems: [{ type: 'C' }] },
    { oneOf: [{ type: 'a' }], allOf: [{ type: 'b' }], prefixItems: [{ type: 'c' }] },
  ],
  [
    'lists that are none',
    { anyOf: 'x', properties: 'y', items: true },
    { anyOf: 'x', properties: 'y', items: true },
  ],
  [
    'definitions',
    { $defs: { A: { type: 'STRING' } }, definitions: { B: { type: 'STRING' } } },
    { $defs: { A: { type: 'string' } }, definitions: { B: { type: 'string' } } },
  ],
  [
    'further properties',
    { additionalProperties: { type: 'STRING' } },
    { additionalProperties: { type: 'string' } },
  ],
  [
    'properties named like keywords',
    { properties: { type: { type: 'STRING' }, nullable: { type: 'BOOLEAN' } } },
    { properties: { type: { type: 'string' }, nullable: { type: 'boolean' } } },
  ],
];

for (const [what, given, schema] of CONVERTED)
  test(`${what} become JSON Schema`, () => assert.deepEqual(upConvertSchema(given), schema));
