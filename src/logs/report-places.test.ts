import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { ReportPlaces } from './report-places.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Reports that end when the test resolves them. */
function createReports(most: number) {
  const places = new ReportPlaces(most);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    running,
    begin: (tenant: string, name: string) =>
      places.run(tenant, () => {
        running.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await settle();
    },
  };
}

test('of many reports some are read at once, and organizations take turns', async () => {
  const { running, begin, end } = createReports(2);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => begin(name.slice(0, 1), name));
  await settle();
  assert.deepEqual(running, ['a1', 'a2']);
  await end('a1');
  await end('a2');
  assert.deepEqual(running, ['a1', 'a2', 'a3', 'b1'], 'not all of the first come first');
  for (const name of ['a3', 'b1', 'a4']) await end(name);
  await Promise.all(all);
  assert.equal(running.length, 5);
});

test('a report that fails leaves its place to the next', async () => {
  const places = new ReportPlaces(1);
  const failed = places.run('a', () => Promise.reject(new Error('no')));
  const next = places.run('a', () => Promise.resolve('read'));
  await assert.rejects(failed, /no/);
  assert.equal(await next, 'read');
  assert.equal(await places.run('a', () => Promise.resolve('again')), 'again');
});

test('a report that waits too long is refused, with when to come again, and takes no place', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { running, begin, end } = createReports(1);
  const first = begin('a', 'a1');
  const late = assert.rejects(begin('b', 'b1'), (error) => {
    assert.ok(error instanceof GatewayError);
    assert.deepEqual([error.code, error.facts.retryAfterSeconds], ['store_unavailable', 2]);
    return true;
  });
  await settle();
  t.mock.timers.tick(10_000);
  await late;
  await end('a1');
  await first;
  assert.deepEqual(running, ['a1']);
  const third = begin('b', 'b2');
  await end('b2');
  await third;
});

test('beyond the longest queue, the organization with the most waiting is refused first', async () => {
  const { begin, end, running } = createReports(1);
  void begin('a', 'first');
  let refused = 0;
  const many = Array.from({ length: 300 }, (_, at) =>
    begin('a', `a${at}`).catch(() => {
      refused += 1;
    }),
  );
  await settle();
  assert.equal(refused, 300 - 256);
  const other = begin('b', 'b');
  await settle();
  assert.equal(refused, 300 - 255);
  await end('first');
  for (let at = 0; at < 255; at += 1) await end(running.at(-1) ?? '');
  await end(running.at(-1) ?? '');
  await Promise.all([...many, other]);
});
