import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { listen } from './listen.ts';
import type { ListeningSession } from './session.ts';

test('a listener that cannot connect again reports it once, and then that it missed some', async () => {
  const ends: (() => void)[] = [];
  const reported: unknown[] = [];
  let refusals = 0;
  const session: ListeningSession = {
    query: () => Promise.resolve({ rows: [], rowCount: 0 }),
    onNotification: () => undefined,
    onEnd: (listener) => void ends.push(listener),
    check: () => Promise.resolve(),
    close: async () => ends.at(-1)?.(),
  };
  const subscription = await listen({
    channel: 'news',
    onNotify: () => undefined,
    onReconnect: () => void reported.push('missed'),
    onLost: (error) => void reported.push(error),
    connect: () => {
      if (refusals === 0) return Promise.resolve(session);
      refusals -= 1;
      return Promise.reject(new Error(`refusal ${refusals}`));
    },
  });
  refusals = 2;
  await until('it waits for the end', () => ends.length === 1);
  ends[0]?.();
  await until('it listens again', () => reported.length === 2);
  assert.deepEqual(reported, [new Error('refusal 1'), 'missed']);
  await until('it waits for the end again', () => ends.length === 2);
  await subscription.close();
});

test('a listener that is closed does not connect again', async () => {
  let [connections, end] = [0, (): void => undefined];
  const subscription = await listen({
    channel: 'news',
    onNotify: () => undefined,
    onReconnect: () => undefined,
    onLost: () => undefined,
    connect: () => {
      connections += 1;
      return Promise.resolve({
        query: () => Promise.resolve({ rows: [], rowCount: 0 }),
        onNotification: () => undefined,
        onEnd: (listener) => void (end = listener),
        check: () => Promise.resolve(),
        close: async () => end(),
      });
    },
  });
  await subscription.close();
  assert.equal(connections, 1);
});
