import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { TestClock } from '../../../test/support/test-clock.ts';
import { Backlog } from './requests/backlog.ts';
import type { Progress } from './ledger.ts';
import type { LedgerCalls } from './store/ledger-calls.ts';
import { OwnerStore } from './store/owner-store.ts';
import { MaintenanceLoop } from './maintenance-loop.ts';
import { createStoreTooSlow } from './store/store-fault.ts';

const PROGRESS: Progress = {
  customer: 1n,
  provider: 1n,
  row: { requestId: 'req_1', organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: 'stop' },
};

/** A loop without a database: its statements are noted. */
class Scene {
  readonly clock = new TestClock();
  /** When they were sent. */
  readonly heartbeats: number[] = [];
  readonly faults: unknown[] = [];
  readonly backlog = new Backlog({ journal: undefined, onFault: () => undefined });
  readonly loop: MaintenanceLoop;
  /** What the database's answers wait for. */
  answer: Promise<undefined> | undefined;

  readonly owners = new OwnerStore({} as LedgerCalls);
  readonly releases: string[][] = [];
  /** Requests on a lease, without a hold of their own. */
  readonly unheld = new Set<string>();

  sendHeartbeat = async (): Promise<void> => {
    this.heartbeats.push(this.clock.monotonicMs());
    await this.answer;
  };

  sweeps = 0;
  returns = 0;
  beforeSweep = (): Promise<void> => Promise.resolve();

  constructor(exclusive = true) {
    const { owners } = this;
    owners.sweep = () => Promise.resolve(0 * (this.sweeps += 1));
    owners.release = (requestIds) => Promise.resolve(void this.releases.push([...requestIds]));
    this.loop = new MaintenanceLoop({
      owners,
      backlog: this.backlog,
      clock: this.clock,
      exclusive,
      sendHeartbeat: () => this.sendHeartbeat(),
      retrySettlement: () => Promise.resolve(),
      isHoldStored: (requestId) => !this.unheld.has(requestId),
      beforeSweep: () => this.beforeSweep(),
      onReturn: () => void (this.returns += 1),
      onFault: (error) => this.faults.push(error),
    });
  }
}

test('a heartbeat is sent at the tick after progress, and every 4 s without any', async () => {
  const { loop, heartbeats, clock } = new Scene();
  await loop.tick();
  assert.deepEqual(heartbeats, []);
  loop.recordProgress('req_1', PROGRESS);
  await loop.tick();
  await loop.tick();
  assert.equal(heartbeats.length, 1);
  clock.advance(4_000);
  await loop.tick();
  assert.equal(heartbeats.length, 2);
});

test('a process that was silent for 20 s is not trusted, and after its next heartbeat it ends its leases', async () => {
  const scene = new Scene();
  const { loop, clock } = scene;
  clock.advance(10_000);
  await loop.tick();
  clock.advance(19_000);
  assert.equal(loop.isTrusted, true);
  await loop.tick();
  assert.equal(scene.returns, 0);
  clock.advance(20_000);
  assert.equal(loop.isTrusted, false);
  scene.sendHeartbeat = () => Promise.reject(createStoreTooSlow());
  await loop.tick();
  assert.equal(scene.returns, 0, 'the others have not heard of it');
  scene.sendHeartbeat = () => Promise.resolve();
  await loop.tick();
  assert.equal(scene.returns, 1);
  assert.equal(loop.isTrusted, true);
});

test('the progress of a request that is settled needs no heartbeat', async () => {
  const { loop, heartbeats } = new Scene();
  loop.recordProgress('req_1', PROGRESS);
  loop.discard('req_1');
  await loop.tick();
  assert.deepEqual(heartbeats, []);
});

test('a database that does not answer is not asked again until it does', async () => {
  const scene = new Scene();
  const { loop, heartbeats, clock, faults } = scene;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  scene.answer = promise;
  clock.advance(10_000);
  const first = loop.tick();
  await loop.tick();
  assert.equal(heartbeats.length, 1);
  assert.equal(faults.length, 1);
  resolve(undefined);
  await first;
  clock.advance(10_000);
  await loop.tick();
  assert.equal(heartbeats.length, 2);
  assert.equal(faults.length, 1);
});

test('a request without an answer is released each tick for a minute, and until a release succeeds', async () => {
  const { loop, releases, faults, clock, owners } = new Scene();
  loop.markUncertain('req_1');
  loop.markUncertain('req_2');
  loop.clearUncertain('req_2');
  clock.advance(59_999);
  await loop.tick();
  clock.advance(1);
  const { release } = owners;
  owners.release = () => Promise.reject(new Error('down'));
  await loop.tick();
  assert.equal(faults.length, 1);
  owners.release = release;
  await loop.tick();
  await loop.tick();
  assert.deepEqual(releases, [['req_1'], ['req_1']]);
});

test('a journal that cannot be repaired is reported, and the heartbeat is still sent', async () => {
  const { loop, backlog, heartbeats, clock, faults } = new Scene();
  const broken = new Error('the disk is full');
  backlog.repair = () => Promise.reject(broken);
  clock.advance(10_000);
  await loop.tick();
  assert.deepEqual(faults, [broken]);
  assert.equal(heartbeats.length, 1);
});

test('a sweep continues until it has closed every orphan, 500 at a time', async () => {
  const { loop, owners } = new Scene();
  const closed = [500, 500, 3];
  owners.sweep = () => Promise.resolve(closed.shift() ?? 0);
  assert.equal(await loop.sweep(), 1_003);
  assert.deepEqual(closed, []);
});

test('a running loop takes a turn each second and writes progress to the journal within a tenth of a second', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { loop, heartbeats, backlog } = new Scene();
  const journaled: string[][] = [];
  backlog.addProgress = (progress) => {
    if (progress.size > 0) journaled.push([...progress.keys()]);
    return Promise.resolve(true);
  };
  loop.start();
  assert.equal(loop.isTrusted, true);
  loop.recordProgress('req_1', PROGRESS);
  t.mock.timers.tick(99);
  assert.deepEqual(journaled, []);
  t.mock.timers.tick(1);
  assert.deepEqual(journaled, [['req_1']]);
  t.mock.timers.tick(899);
  await setImmediate();
  assert.deepEqual(heartbeats, []);
  t.mock.timers.tick(1);
  await setImmediate();
  assert.equal(heartbeats.length, 1);
  await loop.stop();
  loop.recordProgress('req_2', PROGRESS);
  t.mock.timers.tick(2_000);
  await setImmediate();
  assert.deepEqual([heartbeats.length, journaled.length], [1, 1], 'stopped');
});

test('progress that no hold could take stays in the journal and is sent again, until one can', async () => {
  const { loop, heartbeats, backlog, unheld } = new Scene();
  const events: string[] = [];
  backlog.addProgress = async (progress) => {
    events.push(`kept ${[...progress.keys()].join()}`);
    return true;
  };
  backlog.markProgress = () => () => void events.push('dropped the earlier');
  unheld.add('req_1');
  loop.recordProgress('req_1', PROGRESS);
  loop.recordProgress('req_2', PROGRESS);
  await loop.tick();
  assert.deepEqual(events, ['kept req_1', 'dropped the earlier']);
  unheld.delete('req_1');
  await loop.tick();
  assert.equal(heartbeats.length, 2);
  assert.deepEqual(events, ['kept req_1', 'dropped the earlier', 'dropped the earlier']);
  await loop.tick();
  assert.equal(heartbeats.length, 2);
});

test('processes that share a database look for orphans every 10 s', async () => {
  const scene = new Scene(false);
  const sweepsAfter = async (ms: number): Promise<number> => {
    scene.clock.advance(ms);
    await scene.loop.tick();
    return scene.sweeps;
  };
  await sweepsAfter(10_000);
  const first = scene.sweeps;
  assert.deepEqual(
    [await sweepsAfter(5_000), await sweepsAfter(4_999), await sweepsAfter(1)],
    [first, first, first + 1],
  );
  scene.sendHeartbeat = () => Promise.reject(createStoreTooSlow());
  assert.equal(
    await sweepsAfter(10_000),
    first + 1,
    'after an outage the others renew their heartbeats first',
  );
  const alone = new Scene();
  alone.clock.advance(100_000);
  await alone.loop.tick();
  assert.equal(alone.sweeps, 0);
});

test('what the sweep would estimate is written before it', async () => {
  const scene = new Scene();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  scene.beforeSweep = () => promise;
  const sweeping = scene.loop.sweep();
  await setImmediate();
  assert.equal(scene.sweeps, 0);
  resolve(undefined);
  await sweeping;
  assert.equal(scene.sweeps, 1);
});

test('a process that starts is trusted, and its next look for orphans is 10 s later', async () => {
  const scene = new Scene(false);
  scene.clock.advance(100_000);
  scene.loop.start();
  await scene.loop.stop();
  assert.equal(scene.loop.isTrusted, true);
  scene.clock.advance(9_999);
  await scene.loop.tick();
  assert.equal(scene.sweeps, 0);
});

test('after a failed heartbeat the newest progress is journaled, and none of a settled request', async () => {
  const scene = new Scene();
  const { loop, backlog, heartbeats } = scene;
  const journaled: string[][] = [];
  backlog.addProgress = async (progress) => {
    journaled.push([...progress].map(([id, { customer }]) => `${id} ${customer}`));
    return true;
  };
  for (const id of ['req_1', 'req_2', 'req_3']) loop.recordProgress(id, PROGRESS);
  loop.discard('req_1');
  await loop.journalProgress();
  assert.deepEqual(journaled, [['req_2 1', 'req_3 1']]);
  const { promise, reject } = Promise.withResolvers<undefined>();
  scene.answer = promise;
  const ticking = loop.tick();
  await setImmediate();
  loop.discard('req_2');
  loop.recordProgress('req_3', { ...PROGRESS, customer: 2n });
  reject(createStoreTooSlow());
  await ticking;
  assert.deepEqual(journaled.slice(1), [['req_3 2']], 'the newest');
  scene.answer = undefined;
  await loop.tick();
  assert.equal(heartbeats.length, 2);
});

test('a loop that stops finishes its turn first', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const scene = new Scene();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  scene.answer = promise;
  scene.loop.start();
  scene.loop.recordProgress('req_1', PROGRESS);
  t.mock.timers.tick(1_000);
  let hasStopped = false;
  const stopping = scene.loop.stop().then(() => (hasStopped = true));
  await setImmediate();
  assert.equal(hasStopped, false);
  resolve(undefined);
  await stopping;
});
