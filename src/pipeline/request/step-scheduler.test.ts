import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, inTurns } from './step-scheduler.ts';

test('work that yields lets others run and then continues', async () => {
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  function* work(): Generator<undefined, string> {
    while (!hadTurn) yield;
    return 'done';
  }
  assert.equal(await inTurns('org', work()), 'done');
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
  const failing = inTurn('org', () => {
    throw new Error('its own');
  });
  const both = [inTurns('org', work('one', 'two')), inTurns('org', work('two', 'one'))];
  await assert.rejects(async () => failing, /its own/);
  for (const one of both) done.push(await one);
  assert.deepEqual(done, ['one', 'two']);
});

test('tenants take turns: one with many heavy requests delays the step of another by one of its own', async () => {
  const done: string[] = [];
  const steps = Array.from({ length: 50 }, () => inTurn('many', () => done.push('many')));
  await steps[0];
  await inTurn('one', () => done.push('one'));
  assert.ok(done.length <= 3, String(done));
  for (const step of steps) await step;
  assert.equal(done.length, 51);
});

test('a step of a small request is done at once', () => {
  assert.equal(
    inTurn(undefined, () => 1),
    1,
  );
});
