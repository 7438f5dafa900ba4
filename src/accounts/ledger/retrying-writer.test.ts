import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startDeadline } from '#base';
import { TestClock } from '../../../test/support/test-clock.ts';
import type { Call } from './batcher.ts';
import { RetryingWriter } from './retrying-writer.ts';
import { createStoreTooSlow } from './store-fault.ts';

const LIMIT_MS = 30;

let clock: TestClock;
let calls: Call<string, number>[];
let reported: string[];
let writer: RetryingWriter<string, number>;

beforeEach(() => {
  clock = new TestClock();
  calls = [];
  reported = [];
  writer = new RetryingWriter({
    clock,
    limitMs: LIMIT_MS,
    write: (call) => void calls.push(call),
    onAnswer: (item, outcome, isLate) => void reported.push(`${item} ${outcome}${isLate ? ' late' : ''}`),
    onUncertain: (item) => void reported.push(`${item} in doubt`),
  });
});

test('an answer is reported before its sender resumes', async () => {
  const answer = writer.send('a').then((outcome) => reported.push(`heard ${outcome}`));
  calls[0]?.resolve(1);
  await answer;
  assert.deepEqual(reported, ['a 1', 'heard 1']);
});

test('a store that is down at once is asked once more, by the same call', async () => {
  const answer = writer.send('a');
  calls[0]?.reject(createStoreTooSlow());
  assert.equal(calls.length, 2);
  calls[1]?.resolve(1);
  assert.equal(await answer, 1);
  assert.deepEqual(reported, ['a 1']);
});

test('a store that is down again, or only after a while, is not asked any more, and the item is in doubt', async () => {
  const twice = writer.send('twice');
  calls[0]?.reject(createStoreTooSlow());
  calls[1]?.reject(createStoreTooSlow());
  await assert.rejects(twice, { code: 'store_unavailable' });
  const slow = writer.send('slow');
  clock.advance(1_001);
  calls[2]?.reject(createStoreTooSlow());
  await assert.rejects(slow, { code: 'store_unavailable' });
  assert.equal(calls.length, 3);
  assert.deepEqual(reported, ['twice in doubt', 'slow in doubt']);
});

test('a connection that is lost within a second is retried', async () => {
  const answer = writer.send('a');
  clock.advance(1_000);
  calls[0]?.reject(createStoreTooSlow());
  calls[1]?.resolve(1);
  assert.equal(await answer, 1);
});

test('an item that is itself at fault is not sent again and leaves no doubt', async () => {
  const answer = writer.send('a');
  calls[0]?.reject(new RangeError('poison'));
  await assert.rejects(answer, RangeError);
  await new Promise<void>((resolve) => startDeadline(LIMIT_MS, resolve)); // a later one of the same length
  assert.equal(calls.length, 1);
  assert.deepEqual(reported, []);
});

test('a sender waits only up to its limit; a late answer is reported all the same', async () => {
  for (const item of ['a', 'b']) await assert.rejects(writer.send(item), { code: 'store_unavailable' });
  calls[0]?.resolve(1);
  calls[1]?.reject(new RangeError('poison'));
  assert.deepEqual(reported, ['a in doubt', 'b in doubt', 'a 1 late', 'b in doubt']);
});
