import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { JsonObject, JsonValue } from '#base';
import { GatewayError } from '#errors';
import { compileCheck } from './check-body.ts';
import { lenient, lenientObject, noted } from './schema-notes.ts';
import { maybe, open, words } from './schema-parts.ts';

const part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) }, open),
  Type.Object({ type: Type.Literal('image'), url: Type.String() }, open),
]);
const schema = Type.Object({
  name: Type.String({ minLength: 1 }),
  effort: maybe(words('low', 'high')),
  count: maybe(Type.Integer({ minimum: 1, maximum: 9 })),
  share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  parts: Type.Optional(
    noted(Type.Union([Type.String(), Type.Array(part, { minItems: 1, maxItems: 2 })]), {
      complaint: 'must be a text or parts',
    }),
  ),
  isOn: Type.Optional(Type.Boolean()),
  label: Type.Optional(lenient(Type.String())),
  mark: Type.Optional(lenientObject(Type.Object({ kind: Type.String() }))),
  longName: Type.Optional(Type.String()),
});
const check = compileCheck(schema, {
  positions: 'brackets',
  complain: (expected, value, noted) => noted ?? `expected ${expected}, got ${typeof value}`,
  findAlias: (name) => (name === 'longName' ? 'long_name' : name),
});

function refusalOf(members: JsonObject, path?: string): string | undefined {
  try {
    check({ name: 'n', ...members }, path);
    return undefined;
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError && thrown.code === 'invalid_request');
    assert.ok(thrown.message.startsWith(`${thrown.param}: `));
    return thrown.message;
  }
}

const REFUSED: [JsonObject, string][] = [
  [{ name: undefined }, 'name: expected a string, got undefined'],
  [{ name: '' }, 'name: must not be empty'],
  [{ effort: 'huge' }, 'effort: must be one of low, high'],
  [{ count: 10 }, 'count: must be between 1 and 9'],
  [{ count: 1.5 }, 'count: must be an integer'],
  [{ share: '1' }, 'share: expected a number, got string'],
  [{ share: null }, 'share: expected a number, got object'],
  [{ parts: 7 }, 'parts: must be a text or parts'],
  [{ parts: [] }, 'parts: must not be empty'],
  [{ parts: [null] }, 'parts[0]: expected an object, got object'],
  [{ parts: [{ type: 'video' }] }, 'parts[0].type: must be one of text, image'],
  [
    { parts: [{ type: 'image', url: '' }, { type: 'text' }] },
    'parts[1].text: expected a string, got undefined',
  ],
  [{ isOn: 'yes' }, 'isOn: expected a boolean, got string'],
  [{ mark: {} }, 'mark.kind: expected a string, got undefined'],
  [{ long_name: 7 }, 'longName: expected a string, got number'],
];
for (const [members, sentence] of REFUSED) {
  test(`the first fault is refused by its path: ${sentence}`, () => {
    assert.equal(refusalOf(members), sentence);
  });
}

test('null and any kind are accepted where the schema says so, and unknown members everywhere', () => {
  const accepted: JsonObject[] = [
    { effort: null, count: null },
    { label: 7 },
    { mark: 7 },
    { parts: 'x', unknown: { a: 1 } },
    { longName: 'x', long_name: 7 },
  ];
  for (const members of accepted) assert.equal(refusalOf(members), undefined);
});

test('the number of items is refused before any item is looked at', () => {
  const parts: JsonValue = [null, null, null];
  assert.equal(refusalOf({ parts }), 'parts: at most 2 are accepted');
});

test('a part of a body is refused by the path it was given', () => {
  assert.equal(refusalOf({ count: 0 }, 'inner'), 'inner.count: must be between 1 and 9');
});
