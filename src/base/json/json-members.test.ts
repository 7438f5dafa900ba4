import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, parseJsonObject } from './json.ts';
import { finish } from '../finish.ts';
import { countMembers, printJson, printJsonSlowly, sliceMembers } from './json-members.ts';
import { createAnyText } from '../../../test/support/any-text.ts';

/** Large enough to be worth looking at. */
const PAD = 'x'.repeat(20_000);

function parse(text: string): { body: JsonObject; bytes: Buffer } {
  const body = parseJsonObject(text);
  assert.ok(body);
  return { body, bytes: Buffer.from(text) };
}

/** Without the name "\\": after it, V8 of Node 24 to 26 reads any name of one escape as that name. */
const objects = fc
  .dictionary(createAnyText(), fc.jsonValue({ maxDepth: 6 }))
  .filter((object) => !JSON.stringify(object).includes('"\\\\":'));

test('what is printed reads as the object, whatever the text it came from holds and however it is spaced', () => {
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 1, '\t'), fc.jsonValue(), (value, space, added) => {
      const parsed = parse(JSON.stringify({ ...value, pad: [PAD] }, null, space));
      const object = { ...parsed.body, added, gone: undefined } as JsonObject;
      Reflect.deleteProperty(object, Object.keys(value)[0] ?? '');
      assert.deepEqual(
        parseJsonObject(String(printJson(object, parsed))),
        parse(JSON.stringify(object)).body,
      );
    }),
  );
});

test('the members of a text are its values, each with the number of names inside', () => {
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 3), (value, space) => {
      const { body, bytes } = parse(JSON.stringify(value, null, space));
      const members = finish(sliceMembers(bytes));
      assert.deepEqual([...members.keys()].sort(), Object.keys(body).sort());
      for (const [name, member] of members) {
        assert.deepEqual(JSON.parse(member.bytes.toString()), body[name]);
        assert.equal(member.names, countMembers(body[name]));
      }
    }),
  );
});

test('an untouched member keeps its source bytes, a replaced one does not', () => {
  const parsed = parse(`{"messages" : [ {"a":1.0, "b":"\\u0041"} ], "tools": [ 1 ],"pad":"${PAD}"}`);
  const printed = printJson({ model: 'm', messages: parsed.body['messages'], tools: [1] }, parsed);
  assert.equal(String(printed), '{"model":"m","messages": [ {"a":1.0, "b":"\\u0041"} ],"tools":[1]}');
});

test('a repeated name is serialized once, as it was parsed, so that no reader can use another of its values', () => {
  const twice = '[{"role":"user","type":"text","type":"image_url"}]';
  const parsed = parse(`{"messages":[0],"messages":${twice},"pad":"${PAD}"}`);
  const printed = printJson({ messages: parsed.body['messages'] }, parsed);
  assert.equal(String(printed), '{"messages":[{"role":"user","type":"image_url"}]}');
});

test('an object without members, and one whose text is short or unknown, is printed', () => {
  assert.equal(String(printJson({}, parse(`{"pad":"${PAD}"}`))), '{}');
  assert.equal(printJson({ a: [1] }, undefined), '{"a":[1]}');
  const short = parse('{"a":[ 1 ]}');
  assert.equal(printJson({ a: short.body['a'] }, short), '{"a":[1]}');
});

test('what is printed slowly is the same text', () => {
  const quotes = String.raw`\"`.repeat(1_500_000);
  const parsed = parse(`{"a":[ "${quotes}" ],"b":{"c":1},"pad":"${PAD}"}`);
  const object = { ...parsed.body, b: [parsed.body['a'] ?? null], c: undefined };
  assert.equal(String(finish(printJsonSlowly(object, parsed))), String(printJson(object, parsed)));
  assert.equal(String(finish(printJsonSlowly(object, undefined))), JSON.stringify(object));
  assert.equal(String(finish(printJsonSlowly({}, undefined))), '{}');
});

test('a long member that was changed is copied once after it is serialized', (t) => {
  const parsed = parse(JSON.stringify({ a: [PAD], b: 1 }));
  const object = { a: ['y'.repeat(1_000_000)], b: 1 };
  const concat = t.mock.method(Buffer, 'concat');
  const printed = finish(printJsonSlowly(object, parsed));
  assert.equal(String(printed), JSON.stringify(object));
  assert.deepEqual(
    concat.mock.calls.map(({ result }) => result?.length),
    [printed.length],
  );
});
