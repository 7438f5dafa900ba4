import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { GatewayError } from '#errors';
import { responsesMemory } from './memory.ts';

const ITEMS: readonly (readonly [what: string, item: JsonObject, isReference: boolean])[] = [
  ['a reference by its type', { type: 'item_reference', id: 'msg_1' }, true],
  ['a reference without a type', { id: 'msg_1' }, true],
  ['a reference whose type is null', { type: null, id: 'msg_1' }, true],
  ['a message without a type', { id: 'msg_1', role: 'user', content: 'hi' }, false],
  ['a call', { type: 'function_call', id: 'msg_1', call_id: 'c', name: 'f', arguments: '{}' }, false],
  ['a reference without an id', { type: 'item_reference' }, false],
];

for (const [what, item, isReference] of ITEMS) {
  test(`${what} ${isReference ? 'is' : 'is not'} replaced by the stored item`, () => {
    const { itemIds } = responsesMemory.read({ input: [item] });
    assert.deepEqual(itemIds, isReference ? ['msg_1'] : []);
    const stored = { type: 'message', id: 'msg_1', role: 'assistant', content: 'before' };
    const { added } = responsesMemory.join(
      { input: [item] },
      { past: [], items: new Map([['msg_1', stored]]) },
    );
    assert.deepEqual(added, [isReference ? stored : item]);
  });
}

const NOTHING = { past: [], items: new Map<string, JsonObject>() };
const SAID = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const BEFORE = { type: 'message', role: 'assistant', content: 'before' };

test('text is a message, and what is no input is left for the check of the body', () => {
  assert.deepEqual(responsesMemory.join({ input: 'hi' }, NOTHING), { body: { input: 'hi' }, added: [SAID] });
  for (const input of ['', 5, null]) {
    const body = { input };
    assert.deepEqual(responsesMemory.join(body, NOTHING), { body, added: [] });
    assert.equal(responsesMemory.join(body, { ...NOTHING, past: [BEFORE] }).body, body);
  }
  assert.deepEqual(responsesMemory.read({ input: ['no item', null] }).itemIds, []);
});

test('a continued conversation is what was said before and what is added, which may be nothing', () => {
  const recalled = { ...NOTHING, past: [BEFORE] };
  const { body, added } = responsesMemory.join({ input: 'hi', model: 'm' }, recalled);
  assert.deepEqual([body, added], [{ model: 'm', input: [BEFORE, SAID] }, [SAID]]);
  for (const silent of [{}, { input: [] }]) {
    const joined = responsesMemory.join(silent, recalled);
    assert.deepEqual([joined.body['input'], joined.added], [[BEFORE], []]);
  }
});

test('what is added is refused by its own place, not by that in the whole conversation', () => {
  const recalled = { ...NOTHING, past: [BEFORE, BEFORE] };
  for (const input of [[{ type: 'message', role: 'king', content: 'x' }], [BEFORE, { role: 'user' }]])
    assert.throws(
      () => responsesMemory.join({ input }, recalled),
      (error: unknown) =>
        error instanceof GatewayError && error.facts.param?.startsWith(`input[${input.length - 1}]`) === true,
    );
});

test('a response is kept unless the caller says otherwise, and continues the one it names', () => {
  assert.deepEqual(responsesMemory.read({ input: 'hi' }), { isKept: true, itemIds: [] });
  assert.deepEqual(responsesMemory.read({ input: 'hi', store: false, previous_response_id: 'r' }), {
    isKept: false,
    itemIds: [],
    previousId: 'r',
  });
  assert.equal('previousId' in responsesMemory.read({ previous_response_id: '' }), false);
});
