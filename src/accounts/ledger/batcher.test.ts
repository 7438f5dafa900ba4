import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BatcherOptions, createBatcher } from './batcher.ts';

class Poison extends Error {}

function createDoubler(more: Partial<BatcherOptions<number, number>> = {}) {
  const batches: number[][] = [];
  const batcher = createBatcher<number, number>({
    run: async (items) => {
      batches.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (items.includes(13)) throw new Poison('thirteen');
      if (items.includes(-1)) throw new Error('down');
      return items.map((item) => item * 2);
    },
    isPoison: (error) => error instanceof Poison,
    createOverflow: () => new Error('full'),
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
