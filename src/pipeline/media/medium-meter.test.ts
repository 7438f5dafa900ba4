import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import type { Quantity } from '#media';
import type { Trip } from '../request/trip.ts';
import { MediumMeter } from './medium-meter.ts';

const tokens = (count: number): Quantity => ({ usage: createUsage({ inputUncached: count }), units: [] });

/** What is charged after these steps, in tokens of one pico-USD: owed by the customer, billed by the provider. */
function bill(steps: (meter: MediumMeter) => void) {
  const task = { estimate: (_: Mapping, bytes: number) => tokens(100 + bytes) };
  const trip = { get: () => task, capAtHold: (owed: bigint) => owed } as unknown as Trip;
  const mapping = { price: parsePrice({ input: '0.000001', output: '0' }) } as Mapping;
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
