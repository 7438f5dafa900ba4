import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DeliveredProgress } from './delivered-progress.ts';
import { createStoreTooSlow } from '../store/store-fault.ts';

const OPENED = { requestId: 'req_1', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: 'stop' };

function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const written: object[] = [];
  const faults: unknown[] = [];
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const store = {
    tookMs: 0,
    fault: undefined as Error | undefined,
    gate: undefined as Promise<void> | undefined,
  };
  const delivered = new DeliveredProgress({
    owners: {
      recordDelivered: async (latest) => {
        written.push(latest);
        clock.nowMs += store.tookMs;
        await store.gate;
        if (store.fault) throw store.fault;
      },
    },
    clock,
    onFault: (error) => faults.push(error),
  });
  const pass = async (ms: number): Promise<object[]> => {
    clock.nowMs += ms;
    t.mock.timers.tick(ms);
    await turn();
    return written.splice(0);
  };
  const progress = (customer: bigint, more: object = {}, requestId = 'req_1'): void =>
    delivered.record(
      { ...OPENED, requestId },
      { customer, provider: 1n, row: { ...OPENED, requestId, ...more } },
    );
  delivered.start();
  return { delivered, progress, pass, store, faults };
}

test('what is delivered is written a tenth of a second later: the cost, and what has changed in the row', async (t) => {
  const { progress, pass } = open(t);
  assert.deepEqual(await pass(1_000), [], 'nothing is delivered yet');
  progress(7n, { usage: { outputText: 5 }, finishReason: 'length' });
  progress(9n, { usage: { outputText: 6 } });
  assert.deepEqual(await pass(99), []);
  assert.deepEqual(await pass(1), [{ req_1: { c: '9', p: '1', row: { usage: { outputText: 6 } } } }]);
  assert.deepEqual(await pass(1_000), [], 'nothing has changed');
});

test('a request that is settled leaves it, and nothing is written once it has stopped', async (t) => {
  const { delivered, progress, pass } = open(t);
  progress(7n);
  await pass(100);
  delivered.discard('req_1');
  delivered.discard('req_1');
  assert.deepEqual(await pass(100), [{}]);
  progress(8n);
  delivered.stop();
  assert.deepEqual(await pass(1_000), []);
});

test('thousands of open answers are written less often, at least once a second; a few are, however long it takes', async (t) => {
  const { progress, pass, store } = open(t);
  const pauseOf = async (answers: number, tookMs = 0): Promise<number> => {
    store.tookMs = tookMs;
    for (let number = 0; number < answers; number += 1) progress(7n, {}, `req_${number}`);
    while ((await pass(100)).length === 0);
    progress(8n);
    let pausedMs = 100;
    while ((await pass(100)).length === 0) pausedMs += 100;
    return pausedMs;
  };
  assert.equal(await pauseOf(10), 100);
  assert.equal(await pauseOf(10, 400), 100);
  assert.equal(await pauseOf(1_000), 200);
  assert.equal(await pauseOf(5_000), 800);
  assert.equal(await pauseOf(50_000), 1_000);
});

test('a database that is slow or down gets the newest progress as soon as it can', async (t) => {
  const { progress, pass, store, faults } = open(t);
  const gate = Promise.withResolvers<undefined>();
  [store.gate, store.fault] = [gate.promise, new Error('down')];
  progress(7n);
  assert.equal((await pass(100)).length, 1);
  progress(8n);
  assert.deepEqual(await pass(1_000), [], 'one is under way');
  gate.resolve(undefined);
  await turn();
  assert.deepEqual(faults, [store.fault]);
  store.fault = createStoreTooSlow();
  assert.equal((await pass(100)).length, 1);
  assert.equal(faults.length, 1, 'the heartbeat reports an outage');
  store.fault = undefined;
  assert.deepEqual(await pass(100), [{ req_1: { c: '8', p: '1', row: {} } }]);
});

test('a write resolves once the database has all that was recorded before, also if one is under way', async (t) => {
  const { delivered, progress, pass, store } = open(t);
  const gate = Promise.withResolvers<undefined>();
  store.gate = gate.promise;
  progress(7n);
  assert.equal((await pass(100)).length, 1);
  const resolved: string[] = [];
  const earlier = delivered.write().then(() => resolved.push('earlier'));
  await turn();
  progress(8n);
  const later = delivered.write().then(() => resolved.push('later'));
  await turn();
  assert.deepEqual(resolved, []);
  gate.resolve(undefined);
  await Promise.all([earlier, later]);
  assert.deepEqual(await pass(0), [{ req_1: { c: '8', p: '1', row: {} } }]);
});
