import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import {
  BROKEN,
  RIVALS,
  type Situation,
  openClockedWalk,
  pass,
  takeClock,
} from '../../../test/support/clocked-walk.ts';

takeClock();

const PATIENT: Situation = { waiting: { ...RIVALS, leastMs: 20_000 } };

type Walk = ReturnType<typeof openClockedWalk>;

/** Another request at the same time. */
function openBeside({ health }: Walk, situation: Situation = {}) {
  return openClockedWalk('one two', { ...situation, health });
}

async function finish(walk: Walk, ended: ReturnType<Walk['start']>): Promise<void> {
  walk.lastCall().listener.onBegin();
  walk.lastCall().end({ type: 'answered' });
  await ended;
}

/** The calls of a patient request while two others are silent for longer than usual. */
async function watch(
  situation: Situation,
  prepare: (patient: Walk) => Promise<void> | void = () => undefined,
): Promise<string[]> {
  const patient = openClockedWalk('one two', situation);
  const others = [openBeside(patient), openBeside(patient)];
  const ended = patient.start();
  const othersEnded = others.map((other) => other.start());
  await prepare(patient);
  await pass(400);
  for (const [at, other] of others.entries()) {
    assert.deepEqual(patient.calls(), ['one 0'], 'one silent call is no evidence');
    await finish(other, othersEnded[at] as (typeof othersEnded)[number]);
  }
  await pass(100);
  const calls = patient.calls();
  await finish(patient, ended);
  return calls;
}

test('a request waits no longer for a provider that has fallen silent to others', async () => {
  assert.deepEqual(await watch(PATIENT), ['one 0', 'two 400']);
});

test('it waits on where the provider answers a request that began later', async () => {
  const answer = async (patient: Walk): Promise<void> => {
    await pass(20);
    const later = openBeside(patient);
    const ended = later.start();
    await pass(20);
    await finish(later, ended);
  };
  assert.deepEqual(await watch(PATIENT, answer), ['one 0']);
});

test('it is called elsewhere from the budget of retries where that of second calls is spent, and else waits', async () => {
  for (const [name, called] of [
    ['retries', ['one 0', 'two 700']],
    ['none', ['one 0']],
  ] as const) {
    const spend = async ({ budgets: { hedges, retries } }: Walk): Promise<void> => {
      await pass(380); // the others have their second calls
      while (hedges.spend(performance.now()));
      mock.method(hedges, 'hasAny', () => false);
      if (name === 'none') mock.method(retries, 'hasAny', () => false);
    };
    assert.deepEqual(await watch(PATIENT, spend), called);
  }
});

test('a request that may not be at two providers at once waits on, and so does one whose configuration wants that', async () => {
  for (const situation of [
    { waiting: { ...RIVALS, isAlone: true as const }, usual: { one: [100, 100, 100] } },
    { ...PATIENT, hedges: false },
  ])
    assert.deepEqual(await watch(situation), ['one 0']);
});

test('a request without a budget does not keep those of another first provider waiting', async () => {
  const poor = openClockedWalk('zero one two', PATIENT);
  const ended = poor.start();
  poor.callOf('zero').end(BROKEN);
  await pass(20);
  for (const budget of [poor.budgets.hedges, poor.budgets.retries])
    mock.method(budget, 'hasAny', () => false);
  assert.deepEqual(await watch({ ...PATIENT, health: poor.health }), ['one 0', 'two 400']);
  assert.deepEqual(poor.calls(), ['zero 0', 'one 0']);
  await finish(poor, ended);
});

/** A request that must not be made twice at once, of a kind that takes so long. */
function openLone(names: string, usual: readonly number[]): Walk {
  const walk = openClockedWalk(names, { waiting: { timing: 'toolEvent', unknownMs: 1, isAlone: true } });
  for (const ms of usual) walk.healthOf('one').toolEvent.add(ms);
  return walk;
}

const attemptsOf = ({ trip }: Walk): string[] =>
  trip.attempts.map(({ providerId, outcome }) => `${providerId} ${outcome}`);

const OFTEN_4_S = Array.from({ length: 40 }, () => 4_000);

test('a request that must not be made twice at once is left for the next provider after several times as long as its kind takes', async () => {
  const walk = openLone('one two', OFTEN_4_S);
  const ended = walk.start();
  await pass(15_000);
  assert.deepEqual(walk.calls(), ['one 0'], 'not sooner');
  await pass(2_000);
  assert.equal(walk.lastCall().name, 'two');
  await finish(walk, ended);
  assert.deepEqual(attemptsOf(walk), ['one timed-out', 'two answered']);
});

test('while it is not known how long its kind takes, and where there is no other provider, it is awaited', async () => {
  for (const walk of [openLone('one two', [100, 100]), openLone('one', [100, 100, 100])]) {
    const ended = walk.start();
    await pass(170_000);
    await finish(walk, ended);
    assert.deepEqual(attemptsOf(walk), ['one answered']);
  }
});

test('for a caller that has left no other provider is called', async () => {
  const walk = openLone('one two', OFTEN_4_S);
  const ended = walk.start();
  await pass(100);
  walk.leave();
  await pass(170_000);
  await finish(walk, ended);
  assert.deepEqual(attemptsOf(walk), ['one answered']);
});
