import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCallBlock } from '#canonical';
import { PendingCalls } from './pending-calls.ts';

const call = (id: string, name: string): ToolCallBlock => ({
  type: 'tool-call',
  id,
  name,
  input: { value: {} },
});

function open(...calls: ToolCallBlock[]): PendingCalls {
  const pending = new PendingCalls();
  pending.begin();
  for (const one of calls) pending.add(one);
  return pending;
}

test('a result belongs to the call with its id, whatever its name and order', () => {
  const pending = open(call('a', 'f'), call('b', 'f'));
  assert.deepEqual([pending.take('b', 'f'), pending.take('a', 'other')], ['b', 'a']);
});

test('without an id a result belongs to the first call of its name that has none', () => {
  const pending = open(call('a', 'f'), call('b', 'g'), call('c', 'f'), call('d', 'f'));
  assert.equal(pending.take('c', 'f'), 'c');
  assert.deepEqual([pending.take(undefined, 'f'), pending.take(undefined, 'g')], ['a', 'b']);
  assert.equal(pending.take(undefined, 'f'), 'd', 'not one that has its result');
});

test('calls that share an id are answered in order', () => {
  const [first, second] = [call('same', 'f'), call('same', 'g')];
  const pending = open(first, second, call('x', 'f'));
  assert.deepEqual([pending.take('same', 'f'), pending.take('same', 'g')], ['same', 'same']);
  assert.equal(pending.take(undefined, 'f'), 'x');
  assert.equal(pending.take('same', 'h'), 'same', 'a result too many keeps its id');
});

test('a new turn of the model leaves earlier calls without results', () => {
  const pending = open(call('a', 'f'));
  pending.begin();
  pending.add(call('b', 'f'));
  assert.equal(pending.take('a', 'f'), 'b', 'the id is of no open call, the name is');
  const other = open(call('a', 'f'));
  other.begin();
  assert.equal(other.take('a', 'f'), 'a');
  assert.equal(other.take(undefined, 'f'), 'call_1_f');
});

test('ids for calls without one count up, with the name as far as ids allow it', () => {
  const pending = new PendingCalls();
  const name = `a.b/${'n'.repeat(40)}`;
  assert.equal(pending.createId('f'), 'call_1_f');
  assert.equal(pending.createId(name), `call_2_a_b_${'n'.repeat(36)}`);
});
