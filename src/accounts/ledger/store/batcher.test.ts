import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startDeadline } from '#base';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';

class Poison extends Error {}

function createDoubler(more: Partial<BatcherOptions<number, number>> = {}) {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>({
    run: async (items) => {
      batches.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (items.includes(13)) throw new Poison('thirteen');
      if (items.includes(-1)) throw new Error('down');
      return items.map((item) => item * 2);
    },
    isPoison: (error) => error instanceof Poison,
    createTooSlow: () => new Error('full'),
    ...more,
  });
  return { batcher, batches };
}

test('calls of one turn travel together, and each gets its own outcome', async () => {
  const { batcher, batches } = createDoubler();
  assert.deepEqual(await Promise.all([1, 2, 3].map((item) => batcher.submit(item))), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('one batch is in flight at a time; what arrives meanwhile goes with the next, in order', async () => {
  const { batcher, batches } = createDoubler();
  const first = batcher.submit(1);
  await new Promise((resolve) => setImmediate(resolve));
  const later = [2, 3, 4].map((item) => batcher.submit(item));
  assert.deepEqual(await Promise.all([first, ...later]), [2, 4, 6, 8]);
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
});

test('a batch is never larger than its bound', async () => {
  const { batcher, batches } = createDoubler({ largestBatch: 2 });
  await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.submit(item)));
  assert.deepEqual(batches, [[1, 2], [3, 4], [5]]);
});

test('a poisoned item fails alone', async () => {
  const { batcher } = createDoubler();
  const outcomes = await Promise.allSettled([1, 13, 3].map((item) => batcher.submit(item)));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
    [2, 'Error: thirteen', 6],
  );
});

test('an error that no single item caused fails the batch without a retry', async () => {
  const { batcher, batches } = createDoubler();
  const outcomes = await Promise.allSettled([1, -1, 3].map((item) => batcher.submit(item)));
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'));
  assert.equal(batches.length, 1);
});

test('the batcher works on after a failure', async () => {
  const { batcher } = createDoubler();
  await assert.rejects(batcher.submit(-1));
  assert.equal(await batcher.submit(4), 8);
});

test('a full queue refuses at once', async () => {
  const { batcher } = createDoubler({ longestQueue: 2 });
  const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
});

test('an answer with too few outcomes is an error, not a silent success', async () => {
  const { batcher } = createDoubler({ run: async () => [] });
  await assert.rejects(batcher.submit(1), /different number/);
});

test('drain waits for all that was submitted', async () => {
  const { batcher } = createDoubler({ largestBatch: 1 });
  let done = 0;
  for (const item of [1, 2, 3]) void batcher.submit(item).then(() => (done += 1));
  await batcher.drain();
  assert.equal(done, 3);
});

const LIMIT_MS = 30;
const DOWN = new Error('down');

interface Run {
  items: readonly string[];
  answer: PromiseWithResolvers<readonly number[]>;
}

/** A batcher whose items may be repeated; each run waits to be answered. */
class Scene {
  readonly clock = new TestClock();
  readonly runs: Run[] = [];
  readonly reported: string[] = [];
  readonly #batcher: Batcher<string, number>;

  constructor(more: Partial<BatcherOptions<string, number>> = {}) {
    this.#batcher = new Batcher({
      run: (items) => {
        const answer = Promise.withResolvers<readonly number[]>();
        this.runs.push({ items, answer });
        return answer.promise;
      },
      isPoison: (error) => error instanceof Poison,
      createTooSlow: () => new Error('too slow'),
      ...more,
    });
  }

  send(item: string): Promise<number> {
    return this.#batcher.submit(item, {
      clock: this.clock,
      limitMs: LIMIT_MS,
      onAnswer: (one, outcome, isLate) =>
        void this.reported.push(`${one} ${outcome}${isLate ? ' late' : ''}`),
      onUncertain: (one) => void this.reported.push(`${one} in doubt`),
    });
  }

  /** Answers the run that is under way; the next one has begun by then. */
  async answer(outcome: number | Error): Promise<void> {
    await turn();
    const { answer } = this.runs.at(-1) as Run;
    if (typeof outcome === 'number') answer.resolve([outcome]);
    else answer.reject(outcome);
    await turn();
  }
}

test('an answer is reported before its sender resumes', async () => {
  const scene = new Scene();
  const answer = scene.send('a').then((outcome) => scene.reported.push(`heard ${outcome}`));
  await scene.answer(1);
  await answer;
  assert.deepEqual(scene.reported, ['a 1', 'heard 1']);
});

test('an item whose store is down at once is sent once more', async () => {
  const scene = new Scene();
  const answer = scene.send('a');
  await scene.answer(DOWN);
  await scene.answer(1);
  assert.equal(await answer, 1);
  assert.deepEqual([scene.runs.length, scene.reported], [2, ['a 1']]);
});

test('a store that is down again, or only after a while, is not asked any more, and the item is in doubt', async () => {
  const scene = new Scene();
  const twice = assert.rejects(scene.send('twice'), DOWN);
  await scene.answer(DOWN);
  await scene.answer(DOWN);
  await twice;
  const slow = assert.rejects(scene.send('slow'), DOWN);
  scene.clock.advance(1_001);
  await scene.answer(DOWN);
  await slow;
  assert.equal(scene.runs.length, 3);
  assert.deepEqual(scene.reported, ['twice in doubt', 'slow in doubt']);
});

test('a connection that is lost within a second is retried', async () => {
  const scene = new Scene();
  const answer = scene.send('a');
  scene.clock.advance(1_000);
  await scene.answer(DOWN);
  await scene.answer(1);
  assert.equal(await answer, 1);
});

test('an item that is itself at fault is not sent again and leaves no doubt', async () => {
  const scene = new Scene();
  const poisoned = assert.rejects(scene.send('a'), Poison);
  await scene.answer(new Poison());
  await poisoned;
  await new Promise<void>((resolve) => startDeadline(LIMIT_MS, resolve)); // a later one of the same length
  assert.deepEqual([scene.runs.length, scene.reported], [1, []]);
});

test('a sender waits only up to its limit; a late answer is reported all the same', async () => {
  for (const outcome of [1, new Poison()]) {
    const scene = new Scene();
    await assert.rejects(scene.send('a'), /too slow/);
    await scene.answer(outcome);
    assert.deepEqual(scene.reported, ['a in doubt', outcome === 1 ? 'a 1 late' : 'a in doubt']);
  }
});

test('an item that finds the queue full was not sent: it is in doubt only if it is repeated', async () => {
  const scene = new Scene({ longestQueue: 1, largestBatch: 1 });
  const repeated = assert.rejects(scene.send('repeated'), /too slow/);
  await turn();
  const queued = scene.send('queued');
  await assert.rejects(scene.send('refused'), /too slow/);
  assert.deepEqual(scene.reported, []);
  await scene.answer(DOWN);
  await repeated;
  assert.deepEqual(scene.reported, ['repeated in doubt']);
  await scene.answer(1);
  assert.equal(await queued, 1);
  assert.deepEqual(
    scene.runs.map(({ items }) => items),
    [['repeated'], ['queued']],
  );
});
