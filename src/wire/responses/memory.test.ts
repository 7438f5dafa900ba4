import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
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
