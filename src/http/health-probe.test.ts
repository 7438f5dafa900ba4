import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthProbe } from './health-probe.ts';

function createClock() {
  let nowMs = 0;
  return { now: () => nowMs, monotonicMs: () => nowMs, pass: (ms: number) => void (nowMs += ms) };
}

test('a health check queries the store, at most once a second', async () => {
  const clock = createClock();
  let asked = 0;
  const check = async () => void (asked += 1);
  const probe = createHealthProbe({ redis: check, database: check, ledger: check }, clock);
  await Promise.all([probe.database(), probe.database()]);
  assert.equal(asked, 1);
  clock.pass(999);
  await probe.database();
  assert.equal(asked, 1);
  clock.pass(1);
  assert.deepEqual(await probe.database(), { connected: true });
  assert.equal(asked, 2);
});

test('a failing store is reported with a fixed text that does not reveal its address', async () => {
  const refuse = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:5432'));
  const probe = createHealthProbe({ redis: refuse, database: refuse, ledger: refuse }, createClock());
  assert.deepEqual(await probe.database(), { connected: false, error: 'connection failed' });
});

test('a store that never answers is timed out after two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const never = () => new Promise(() => undefined);
  const probe = createHealthProbe({ redis: never, database: never, ledger: never }, createClock());
  const asked = probe.redis();
  t.mock.timers.tick(2_000);
  assert.deepEqual(await asked, { connected: false, error: 'timed out' });
});
