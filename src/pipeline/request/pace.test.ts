import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, inTurns } from './pace.ts';

test('work that yields lets others run and then continues', async () => {
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  function* work(): Generator<undefined, string> {
    while (!hadTurn) yield;
    return 'done';
  }
  assert.equal(await inTurns(work()), 'done');
});

test('two works of heavy requests alternate, and what one throws is its own', async () => {
  const done: string[] = [];
  const turns = { one: 0, two: 0 };
  // Neither ends before the other has had a turn.
  function* work(own: 'one' | 'two', other: 'one' | 'two'): Generator<undefined, string> {
    turns[own] += 1;
    while (turns[other] === 0) yield;
    return own;
  }
  const failing = inTurn(true, () => {
    throw new Error('its own');
  });
  const both = [inTurns(work('one', 'two')), inTurns(work('two', 'one'))];
  await assert.rejects(async () => failing, /its own/);
  for (const one of both) done.push(await one);
  assert.deepEqual(done, ['one', 'two']);
});

test('a step of a small request is done at once', () => {
  assert.equal(
    inTurn(false, () => 1),
    1,
  );
});
