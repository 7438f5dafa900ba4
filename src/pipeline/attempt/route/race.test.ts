import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import {
  BROKEN,
  finish,
  RIVALS,
  type Situation,
  openClockedWalk,
  pass,
  takeClock,
} from '../../../../test/support/clocked-walk.ts';
import type { AttemptEnding, FirstEventWait } from '../attempt-types.ts';

const ANSWERED: AttemptEnding = { type: 'answered' };
const ALONE: FirstEventWait = { ...RIVALS, isAlone: true };

takeClock();

type Walk = ReturnType<typeof openClockedWalk>;

function mockBudgets({ budgets }: Walk, hasAny: () => boolean): void {
  for (const budget of [budgets.hedges, budgets.retries]) mock.method(budget, 'hasAny', hasAny);
}

/** When the second provider is called while the first is silent. */
async function secondAfter(
  situation: Situation,
  prepare?: (walk: Walk) => void,
): Promise<number | undefined> {
  const walk = openClockedWalk('one two', situation);
  prepare?.(walk);
  const ended = walk.start();
  for (let waitedMs = 0; walk.calls().length < 2 && waitedMs < 40_000; waitedMs += 20) await pass(20);
  const second = walk.calls()[1];
  await finish(walk, ended, second === undefined ? 'one' : 'two');
  return second === undefined ? undefined : Number(second.split(' ')[1]);
}

test('a silent provider is awaited twice as long as it hardly ever takes, of which a single answer gives an idea', async () => {
  assert.equal(await secondAfter({ usual: { one: [1_000] } }), 6_000);
  assert.equal(await secondAfter({ usual: { one: [105] } }), 700, 'in full tenths of a second');
  assert.equal(await secondAfter({ usual: { one: [10] } }), 300, 'at least this long');
  assert.equal(await secondAfter({}), 300);
  assert.equal(await secondAfter({ waiting: { ...RIVALS, unknownMs: 1_000 } }), 1_000, 'nothing is known');
  assert.equal(await secondAfter({ waiting: { ...RIVALS, leastMs: 800 } }), 800);
});

test('a provider that has just failed is awaited as long as another would take that is known', async () => {
  const usual = { one: [3_000], two: [200] };
  const fail = ({ healthOf }: Walk) => healthOf('one').fail(performance.now() - 10_000, { pauseMs: 1 });
  assert.equal(await secondAfter({ usual }), 18_000);
  assert.equal(await secondAfter({ usual }, fail), 1_200);
  assert.equal(await secondAfter({ usual: { one: [500] } }, fail), 3_000, 'of the other nothing is known');
});

test('without a budget for a second call the first is awaited three times as long again, but two to ten seconds', async () => {
  const spend = ({ budgets }: Walk) => {
    while (budgets.hedges.spend(performance.now()));
  };
  assert.equal(await secondAfter({}, spend), 2_300);
  assert.equal(await secondAfter({ waiting: { ...RIVALS, unknownMs: 1_000 } }, spend), 4_000);
  assert.equal(await secondAfter({ usual: { one: [1_000] } }, spend), 16_000, 'that is, 6 and 10 seconds');
});

test('without a budget for any further call the first is awaited until there is one', async () => {
  let isSpent = true;
  const spend = (walk: Walk) => mockBudgets(walk, () => !isSpent);
  const usual = { one: [100, 100, 100] };
  assert.equal(await secondAfter({ waiting: ALONE, usual }, spend), undefined);
  const walk = openClockedWalk('one two');
  spend(walk);
  const ended = walk.start();
  await pass(3_000);
  isSpent = false;
  await pass(2_000);
  assert.deepEqual(walk.calls(), ['one 0', 'two 4300']);
  await finish(walk, ended, 'two');
});

test('where no second may be called at once, the first is left after four times as long, and ten seconds at least', async () => {
  assert.equal(await secondAfter({ waiting: ALONE, usual: { one: [100, 100, 100] } }), 10_000);
  assert.equal(await secondAfter({ waiting: ALONE, usual: { one: [1_500, 1_500, 1_500] } }), 13_700);
  assert.equal(
    await secondAfter({ waiting: ALONE, usual: { one: [100, 100] } }),
    undefined,
    'too few answers',
  );
  const fail = ({ healthOf }: Walk) => healthOf('one').fail(performance.now() - 10_000, { pauseMs: 1 });
  assert.equal(await secondAfter({ waiting: ALONE }, fail), 30_000, 'one that has failed');
});

test('where the configuration wants no second call the first is awaited, and left only where it always is', async () => {
  const usual = { one: [100, 100, 100] };
  assert.equal(await secondAfter({ usual, hedges: false }), undefined);
  assert.equal(await secondAfter({ usual, hedges: false, waiting: ALONE }), 10_000);
});

test('a call to a provider that has failed keeps other requests away until it has a result', async () => {
  const walk = openClockedWalk('one');
  const health = walk.healthOf('one');
  health.fail(performance.now() - 10_000, { pauseMs: 1 });
  assert.equal(health.stateAt(performance.now()), 'due');
  const ended = walk.start();
  assert.equal(health.stateAt(performance.now()), 'poor');
  await finish(walk, ended, 'one');
});

test('a retry is not sent into a pause that the provider asked for while the request waited', async () => {
  const walk = openClockedWalk('one');
  const ended = walk.start();
  walk.callOf('one').end(BROKEN);
  await pass(20);
  walk.healthOf('one').fail(performance.now(), { pauseMs: 1, retryAfterMs: 1_000 });
  await pass(980);
  assert.deepEqual(walk.calls(), ['one 0']);
  await pass(200);
  assert.deepEqual(walk.calls(), ['one 0', 'one 1000']);
  walk.lastCall().end(ANSWERED);
  assert.deepEqual((await ended).ending, ANSWERED);
});

test('a provider that failed every time is not given up any more as soon as it begins to answer', async () => {
  const walk = openClockedWalk('one');
  const health = walk.healthOf('one');
  for (let call = 0; call < 12; call += 1) health.fail(performance.now() - 100_000, { pauseMs: 1 });
  assert.equal(health.isFailing, true);
  const ended = walk.start();
  walk.callOf('one').listener.onBegin();
  assert.equal(health.isFailing, false);
  walk.callOf('one').end(ANSWERED);
  await ended;
});

test('once a provider answers no other is called, also not in place of those it outpaced', async () => {
  for (const silentMs of [100, 400]) {
    const walk = openClockedWalk('one two three');
    const ended = walk.start();
    await pass(silentMs);
    walk.callOf('one').listener.onBegin();
    await pass(5_000);
    await finish(walk, ended, 'one');
    assert.deepEqual(walk.calls(), silentMs === 100 ? ['one 0'] : ['one 0', 'two 300']);
  }
});

test('once a rival answers no other is called, also where the first has failed and there was no budget to replace it', async () => {
  const walk = openClockedWalk('one two three');
  let isSpent = false;
  mockBudgets(walk, () => !isSpent);
  const ended = walk.start();
  await pass(400);
  isSpent = true;
  walk.callOf('one').end(BROKEN);
  await pass(20);
  walk.callOf('two').listener.onBegin();
  isSpent = false;
  await pass(5_000);
  await finish(walk, ended, 'two');
  assert.deepEqual(walk.calls(), ['one 0', 'two 300']);
});

test('a provider that has failed is awaited no longer', async () => {
  const walk = openClockedWalk('one two three');
  const ended = walk.start();
  await pass(200);
  walk.callOf('one').end(BROKEN);
  await pass(240);
  assert.deepEqual(walk.calls(), ['one 0', 'two 200']);
  await finish(walk, ended, 'two');
});

test('after a fault of the gateway no other provider is called', async () => {
  const walk = openClockedWalk('one two three four', { broken: 'three' });
  const rejected = assert.rejects(walk.start(), /a fault of the gateway/);
  await pass(400);
  walk.callOf('one').end(BROKEN);
  await rejected;
  assert.deepEqual(walk.canceled(), ['two']);
  await pass(2_000);
  assert.deepEqual(walk.calls(), ['one 0', 'two 300']);
});

test('a call that a fault of the gateway has canceled is neither recorded nor held against its provider', async () => {
  const walk = openClockedWalk('one two', { broken: 'two' });
  const rejected = assert.rejects(walk.start(), /a fault of the gateway/);
  await pass(400);
  await rejected;
  assert.deepEqual(walk.canceled(), ['one']);
  walk.callOf('one').end(BROKEN);
  await pass(20);
  assert.deepEqual(walk.trip.attempts, []);
  assert.equal(walk.healthOf('one').stateAt(performance.now()), 'healthy');
});

test('outpaced calls are canceled, and what they are billed is the operator’s cost alone', async () => {
  const walk = openClockedWalk('one two three');
  const ended = walk.start();
  await pass(700);
  walk.callOf('two').listener.onBegin();
  walk.callOf('two').end(ANSWERED);
  const { bill } = (await ended).meter;
  assert.deepEqual([bill.provider, bill.owed], [21n, 7n]);
  assert.deepEqual(walk.canceled(), ['one', 'three']);
  assert.deepEqual(walk.trip.facts.answering, { providerId: 'two', externalId: 'm', reason: 'rival' });
});

test('an answer shows why its provider was called, how long it takes to begin and how fast it is', async () => {
  const walk = openClockedWalk('one two');
  const ended = walk.start();
  await pass(200);
  walk.callOf('one').listener.onSpeed(12);
  await finish(walk, ended, 'one');
  assert.deepEqual(walk.trip.facts.answering, { providerId: 'one', externalId: 'm', reason: 'next' });
  const { firstEvent, perToken } = walk.healthOf('one');
  assert.deepEqual([firstEvent.count, firstEvent.mean], [1, 200]);
  assert.deepEqual([perToken.count, perToken.mean], [1, 12]);
});

test('a rival that loses to the one it joined has not been silent for longer, the one that loses to it has', async () => {
  for (const [winner, failed] of [
    ['one', []],
    ['two', ['one']],
  ] as const) {
    const walk = openClockedWalk('one two', { usual: { one: [100], two: [100] } });
    const ended = walk.start();
    await pass(3_000);
    await finish(walk, ended, winner);
    const distrusted = ['one', 'two'].filter((name) => !walk.healthOf(name).isTrusted);
    assert.deepEqual(distrusted, failed);
  }
});

test('a stream that has stalled counts as cut, once, and goes on', async () => {
  const walk = openClockedWalk('one two');
  const ended = walk.start();
  await pass(100);
  walk.callOf('one').listener.onBegin();
  walk.callOf('one').listener.stalls?.onStall();
  const { isTrusted, failedShare } = walk.healthOf('one');
  assert.equal(isTrusted, false);
  assert.deepEqual(walk.canceled(), []);
  walk.callOf('one').end({ type: 'cut', failure: { kind: 'timed-out', message: '' } });
  await ended;
  assert.equal(walk.healthOf('one').failedShare, failedShare);
});

test('what silence is usual within a stream is learnt from those that end well; tools of the provider are silent for long', async () => {
  const walk = openClockedWalk('one two');
  for (const ms of [100, 100, 100]) walk.healthOf('one').silence.add(ms);
  const ended = walk.start();
  const { usualMs, isKnown } = walk.callOf('one').listener.stalls ?? {};
  assert.deepEqual([usualMs, isKnown], [walk.healthOf('one').silence.high, true]);
  await pass(100);
  await finish(walk, ended, 'one');
  assert.equal(walk.healthOf('one').silence.count, 4);
  const tools = openClockedWalk('one two', { waiting: { timing: 'toolEvent', unknownMs: 0, isAlone: true } });
  const toolsEnded = tools.start();
  await pass(100);
  assert.equal(tools.callOf('one').listener.stalls, undefined);
  await finish(tools, toolsEnded, 'one');
  assert.equal(tools.healthOf('one').silence.count, 0);
});
