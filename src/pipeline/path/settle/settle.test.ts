import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settleCallbacks } from 'node:timers/promises';
import { startDeadline, systemClock } from '#base';
import type { Settlement } from '#accounts';
import { type Mapping, parsePrice } from '#catalogue';
import { createTelemetry, silentLog } from '#telemetry';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { until } from '../../../../test/support/until.ts';
import type { Ports } from '../../request/ports.ts';
import { createTrip } from '../../../../test/support/create-trip.ts';
import { type Bill, NO_BILL, type TripFacts } from '../../request/trip.ts';
import { LITTLE_PATIENCE_MS, settle } from './settle.ts';

const STEP_MS = 50;

test('a caller waits at most 5 s for its row, 500 ms for one at no cost', async (t) => {
  let nowMs = systemClock.monotonicMs();
  t.mock.method(systemClock, 'monotonicMs', () => nowMs);
  const startedMs = performance.now();
  t.mock.method(performance, 'now', () => startedMs); // a halt of this process would otherwise put the deadlines off
  const record = (): Promise<void> => new Promise(() => undefined);
  const ports = {
    accounts: { ledger: { record } },
    clock: new TestClock(),
    telemetry: createTelemetry(silentLog),
    live: () => ({}),
  } as unknown as Ports;
  const ended: string[] = [];
  let passedMs = 0;
  const wait = (name: string, options: { patienceMs?: number }): void => {
    const trip = createTrip();
    const outcome = trip.close('answered', { bill: NO_BILL });
    settle(ports, trip, { outcome, ...options }).catch(() => ended.push(name));
  };
  wait('usual', {});
  wait('free', { patienceMs: LITTLE_PATIENCE_MS });
  for (const limitMs of [450, 4_900]) startDeadline(limitMs, () => ended.push(`${limitMs} ms`));
  for (const [ms, count] of [
    [475, 1],
    [525, 2],
    [4_950, 3],
    [5_050, 4],
  ] as const) {
    nowMs += ms - passedMs;
    passedMs = ms;
    await until(`deadline ${count}`, () => ended.length >= count);
  }
  assert.deepEqual(ended, ['450 ms', 'free', '4900 ms', 'usual']);
});

test('while the store fails, a row is written again soon, later every two seconds, until it is there', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = new TestClock();
  const startedMs = clock.monotonicMs();
  const triedMs: number[] = [];
  let isDown = true;
  const record = async (): Promise<void> => {
    triedMs.push(clock.monotonicMs() - startedMs);
    if (isDown) throw new Error('down');
  };
  const ports = {
    accounts: { ledger: { record } },
    clock,
    telemetry: createTelemetry(silentLog),
    live: () => ({}),
  } as unknown as Ports;
  const trip = createTrip();
  const settled = settle(ports, trip, { outcome: trip.close('answered', { bill: NO_BILL }) });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await settleCallbacks();
      clock.advance(STEP_MS);
      t.mock.timers.tick(STEP_MS);
    }
    await settleCallbacks();
  };
  await pass(20_000);
  const waits = triedMs.slice(1).map((ms, at) => ms - (triedMs[at] ?? 0));
  assert.deepEqual(waits.slice(0, 8), [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  assert.ok(waits.every((ms) => ms <= 2_000));
  isDown = false;
  await pass(2_000);
  await settled;
  const { length } = triedMs;
  await pass(10_000);
  assert.equal(triedMs.length, length);
});

test('a premium model that was silent, and may bill the operator, does not charge the premium week where another answered', async () => {
  const settled: Settlement[] = [];
  const ports = {
    accounts: { ledger: { settle: async (settlement: Settlement) => void settled.push(settlement) } },
    clock: new TestClock(),
    telemetry: createTelemetry(silentLog),
    live: () => ({ premium: { input: 0n, output: 0n } }),
  } as unknown as Ports;
  const price = parsePrice({ input: '1', output: '1' });
  const [premium, standard] = [true, false].map((isOne) => ({ premium: isOne, price }) as Mapping);
  const partOf = (mapping: Mapping | undefined) =>
    ({ mapping, price, usage: NO_BILL.usage, factors: [] }) as unknown as NonNullable<Bill['parts']>[number];
  const answered = { ...NO_BILL, parts: [partOf(standard)] };
  const silent = { ...NO_BILL, parts: [...answered.parts, partOf(premium)] };
  for (const bill of [{ ...silent, answered }, silent]) {
    const hold = {} as TripFacts['hold'];
    const trip = createTrip({ ...(standard && { mapping: standard }), hold });
    await settle(ports, trip, { outcome: trip.close('answered', { bill }) });
  }
  assert.deepEqual(
    settled.map((settlement) => settlement.standard),
    [true, false],
  );
});
