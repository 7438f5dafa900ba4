import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { createUsage } from '#canonical';
import { TestClock } from '../../../../test/support/test-clock.ts';
import type { MeteredUsage } from '../../price/meter.ts';
import type { Ports } from '../../request/ports.ts';
import { createTrip } from '../../../../test/support/create-trip.ts';
import { createProgress } from './progress.ts';
import { NO_BILL } from '../../request/trip.ts';

/** A stream whose cost is set by hand, and the costs reported to the ledger. */
function createStream() {
  const clock = new TestClock();
  const recorded: bigint[] = [];
  const recordProgress = (_: string, { customer }: { customer: bigint }): void =>
    void recorded.push(customer);
  const ports = { clock, accounts: { ledger: { recordProgress } } } as unknown as Ports;
  const mapping = { modelId: 'm', providerId: 'p', externalId: 'x' } as Mapping;
  const facts = { request: { stream: true } as never, mapping };
  const trip = createTrip(facts, { startedMs: clock.monotonicMs() });
  const meter = { hasDelivered: true, bill: { usage: createUsage({}), customer: 0n, provider: 0n } };
  const progress = createProgress(ports, trip);
  const deliver = (cost: bigint): void => {
    meter.bill = { ...meter.bill, customer: cost };
    progress(meter as unknown as MeteredUsage);
  };
  return { clock, trip, recorded, deliver };
}

test('progress is reported at most sixteen times a second, and the last part even if nothing follows', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, recorded, deliver } = createStream();
  const pass = (ms: number): void => {
    clock.advance(ms);
    t.mock.timers.tick(ms);
  };
  deliver(1n);
  pass(40);
  deliver(2n);
  assert.deepEqual(recorded, []);
  pass(20);
  assert.deepEqual(recorded, [2n]);
  pass(200);
  deliver(3n);
  assert.deepEqual(recorded, [2n, 3n]);
  pass(1_000);
  assert.deepEqual(recorded, [2n, 3n]);
});

test('a request that has ended reports no progress', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { clock, trip, recorded, deliver } = createStream();
  deliver(1n);
  trip.close('answered', { bill: NO_BILL });
  clock.advance(500);
  t.mock.timers.tick(500);
  assert.deepEqual(recorded, []);
});
