import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listInputItems } from './input-items.ts';

test('every item has an id of its own, the same whenever it is listed', () => {
  const answer = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };
  const stored = [
    { responseId: 'resp_a', items: [{ type: 'function_call_output', call_id: 'c', output: 'x' }, answer] },
    { responseId: 'resp_b', items: [answer, { ...answer, id: '' }, { ...answer, id: 7 }, 'no item'] },
  ];
  const ids = listInputItems(stored).map(({ id }) => id);
  assert.deepEqual(ids, ['item_a_0', 'msg_1', 'msg_b_0', 'msg_b_1', 'msg_b_2']);
  assert.deepEqual(
    listInputItems(stored).map(({ id }) => id),
    ids,
  );
});

test('a message has its type and its content as parts, whatever the request left out', () => {
  const items = [
    { role: 'user', content: 'hi' },
    { type: 'message', role: 'assistant', content: 'hello' },
    { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
  ];
  assert.deepEqual(listInputItems([{ responseId: 'resp_a', items }]), [
    { id: 'msg_a_0', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    {
      id: 'msg_a_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hello', annotations: [] }],
    },
    { id: 'msg_a_2', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
  ]);
  const call = { id: 'fc_1', type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' };
  assert.deepEqual(listInputItems([{ responseId: 'resp_a', items: [call] }]), [call]);
});
