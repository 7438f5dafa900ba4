import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROKEN, finish, openClockedWalk, pass, takeClock } from '../../../test/support/clocked-walk.ts';

takeClock();

test('a provider that begins to answer while the next awaits or is refused its turn is not joined by another', async () => {
  for (const isAdmitted of [true, false]) {
    const walk = openClockedWalk('one two three', { limited: ['two'] });
    const ended = walk.start();
    await pass(400);
    const [entering] = walk.entering;
    assert.deepEqual([entering?.name, entering?.mayWait], ['two', false]);
    walk.callOf('one').listener.onBegin();
    await (isAdmitted ? entering?.admit() : entering?.refuse());
    assert.equal(entering?.used, isAdmitted ? 0 : undefined, 'the place is free again');
    await pass(5_000);
    await finish(walk, ended, 'one');
    assert.deepEqual(walk.calls(), ['one 0']);
  }
});

test('in place of a provider that refuses a turn another is called', async () => {
  const walk = openClockedWalk('one two three', { limited: ['two'] });
  const ended = walk.start();
  await pass(400);
  await walk.entering[0]?.refuse();
  assert.deepEqual(walk.calls(), ['one 0', 'three 400']);
  await finish(walk, ended, 'three');
});

test('a second call that was refused its turn is not counted as one', async () => {
  const countLeft = async (limited: readonly string[]): Promise<number> => {
    const walk = openClockedWalk('one two three', { limited });
    const ended = walk.start();
    await pass(400);
    await walk.entering[0]?.refuse();
    await finish(walk, ended, limited.length > 0 ? 'three' : 'two');
    let left = 0;
    while (walk.budgets.hedges.spend(performance.now())) left += 1;
    return left;
  };
  assert.equal(await countLeft(['two']), await countLeft([]));
});

test('a provider that asks to be called later while a rival awaits its turn there is not called', async () => {
  const walk = openClockedWalk('one two three', { limited: ['two'] });
  const ended = walk.start();
  await pass(400);
  walk.healthOf('two').fail(performance.now(), { pauseMs: 1, retryAfterMs: 60_000 });
  await walk.entering[0]?.admit();
  assert.equal(walk.entering[0]?.used, 0);
  assert.deepEqual(walk.calls(), ['one 0', 'three 400']);
  await finish(walk, ended, 'three');
});

test('a provider whose turn two silent ones await is called once', async () => {
  const walk = openClockedWalk('one two three four', { limited: ['four'] });
  const ended = walk.start();
  await pass(700);
  assert.deepEqual(walk.calls(), ['one 0', 'two 300', 'three 600']);
  walk.callOf('two').end(BROKEN);
  await pass(400);
  assert.equal(walk.entering.length, 2, 'for the first and for the third');
  for (const entering of walk.entering) await entering.admit();
  assert.deepEqual(walk.calls().slice(3), ['four 1100']);
  assert.deepEqual(
    walk.entering.map(({ used }) => used),
    [undefined, 0],
  );
  await finish(walk, ended, 'four');
  assert.equal(walk.trip.facts.answering?.reason, 'rival');
});

test('a caller that disconnects during the wait for a retry takes no place at a provider with limits', async () => {
  const walk = openClockedWalk('one', { limited: ['one'] });
  const ended = walk.start();
  await pass(20);
  await walk.entering[0]?.admit();
  walk.callOf('one').end(BROKEN);
  await pass(20);
  walk.leave();
  await pass(2_000);
  assert.equal(walk.entering.length, 1);
  assert.deepEqual((await ended).ending, { type: 'canceled' });
});
