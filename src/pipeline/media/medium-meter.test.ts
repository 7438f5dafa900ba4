import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import type { Quantity } from '#media';
import type { Trip } from '../request/trip.ts';
import { MediumMeter } from './medium-meter.ts';

const tokens = (count: number): Quantity => ({ usage: createUsage({ inputUncached: count }), units: [] });

/** What is charged after these steps, in tokens of one pico-USD: owed by the customer, billed by the provider. */
function bill(steps: (meter: MediumMeter) => void, input = '0.000001') {
  const task = { estimate: (_: Mapping, bytes: number) => tokens(100 + bytes) };
  const trip = { get: () => task, capAtHold: (owed: bigint) => owed } as unknown as Trip;
  const mapping = { price: parsePrice({ input, output: '0' }) } as Mapping;
  const meter = new MediumMeter(trip, mapping);
  steps(meter);
  const { owed, provider, estimated } = meter.bill;
  return [Number(owed), Number(provider), estimated, meter.finish?.reason];
}

test('an answer costs what is reported, else what its task estimates; one without bytes is an answer, too', () => {
  const whole = (meter: MediumMeter, reported?: Quantity): void => {
    meter.send();
    meter.report(reported);
    meter.end();
    meter.stop(false);
  };
  assert.deepEqual(
    bill((meter) => whole(meter)),
    [100, 100, true, 'stop'],
  );
  assert.deepEqual(
    bill((meter) => whole(meter, tokens(7))),
    [7, 7, false, 'stop'],
  );
});

test('a cut answer is estimated; the operator pays what a provider may bill without an answer', () => {
  const sent = (meter: MediumMeter, mayBeBilled: boolean): void => {
    meter.send();
    meter.stop(mayBeBilled);
  };
  const cut = (meter: MediumMeter): void => {
    meter.addBytes(5);
    meter.leave();
    sent(meter, true);
  };
  assert.deepEqual(bill(cut), [105, 105, true, undefined]);
  assert.deepEqual(
    bill((meter) => sent(meter, false)),
    [0, 0, false, undefined],
  );
  assert.deepEqual(
    bill((meter) => sent(meter, true)),
    [0, 100, true, undefined],
  );
  assert.deepEqual(
    bill((meter) => meter.stop(true)),
    [0, 0, false, undefined],
  );
});

test('a caller that left before its answer owes nothing, although the answer is read to its end', () => {
  const left = (meter: MediumMeter): void => {
    meter.send();
    meter.leave();
    meter.addBytes(5);
    meter.end();
  };
  assert.deepEqual(bill(left), [0, 105, true, 'stop']);
});

test('a byte is an answer; without one, and before it ends, an attempt costs nothing', () => {
  assert.deepEqual(
    bill(() => undefined),
    [0, 0, false, undefined],
  );
  assert.deepEqual(
    bill((meter) => meter.addBytes(1)),
    [101, 101, true, undefined],
  );
});

test('a report in units that the mapping does not charge by counts only where nothing could be charged, or none was used', () => {
  const units = (...counts: number[]): Quantity => ({
    usage: createUsage(),
    units: counts.map((count) => ({ unit: 'character', count })),
  });
  const end = (reported?: Quantity, input?: string) =>
    bill((meter) => {
      meter.report(reported);
      meter.end();
    }, input).slice(0, 3);
  assert.deepEqual(end(units(3)), [100, 100, true]);
  assert.deepEqual(end(units(0, 3)), [100, 100, true]);
  assert.deepEqual(end(tokens(0)), [100, 100, true], 'no tokens are no report');
  assert.deepEqual(end(units(0)), [0, 0, false]);
  assert.deepEqual(end(units(3), '0'), [0, 0, false]);
  assert.deepEqual(end(undefined, '0'), [0, 0, true]);
});
