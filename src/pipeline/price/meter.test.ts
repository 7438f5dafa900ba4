import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlockStart, type GenerationEvent, type ModelUsage, createUsage } from '#canonical';
import type { Mapping } from '#catalogue';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { Meter } from './meter.ts';
import { createTrip } from '../../../test/support/create-trip.ts';

const MEGABYTE = 1024 * 1024;

/** Megabytes of text relayed before the provider is taken to ignore its limit. */
function measureMost(limits: Pick<Mapping, 'maxOutput' | 'contextLength'>, maxOutputTokens?: number): number {
  const request = createForeignRequest({ ...(maxOutputTokens !== undefined && { maxOutputTokens }) });
  const trip = createTrip({ request });
  const meter = new Meter(trip, limits as Mapping);
  const text = 'x'.repeat(MEGABYTE / 16);
  let passed = 0;
  while (!meter.isRunaway && passed < 100 * MEGABYTE) {
    meter.observe({ type: 'block-delta', index: 0, text });
    passed += text.length;
  }
  return passed / MEGABYTE;
}

test('[U14] an answer is bounded by what the caller or the catalogue allows, and by a context if neither does', () => {
  assert.ok(measureMost({ maxOutput: 32_000, contextLength: 200_000 }, 100) < 0.2);
  assert.ok(measureMost({ maxOutput: 32_000, contextLength: 200_000 }) < 1);
  assert.ok(measureMost({ contextLength: 200_000 }) < 5);
  const unknown = measureMost({});
  assert.ok(unknown > 4 && unknown < 25, `${unknown} MB`);
});

test('usage that several models report teaches nothing about one', () => {
  const trip = createTrip({ request: createForeignRequest({}), inputEstimate: 1 });
  const usage = createUsage({ inputUncached: 5, outputText: 7 });
  const learn = (parts?: ModelUsage[]): unknown => {
    const meter = new Meter(trip, {} as Mapping);
    meter.observe({ type: 'generation-end', finish: { reason: 'stop' }, usage, ...(parts && { parts }) });
    return meter.reportedUsage;
  };
  assert.deepEqual(learn(), usage);
  assert.equal(learn([{ model: 'other', usage }]), undefined);
});

test('a single byte or an image counts as an answer, a start alone does not', () => {
  const trip = createTrip({ request: createForeignRequest({}) });
  const observe = (...events: GenerationEvent[]): boolean => {
    const meter = new Meter(trip, {} as Mapping);
    for (const event of events) meter.observe(event);
    return meter.hasDelivered;
  };
  const start = (block: BlockStart['block']): GenerationEvent => ({ type: 'block-start', index: 0, block });
  assert.equal(new Meter(trip, {} as Mapping).outputBound, 0);
  assert.equal(observe(start({ type: 'text', text: '' })), false);
  assert.equal(
    observe(start({ type: 'text', text: '' }), { type: 'block-delta', index: 0, text: 'x' }),
    true,
  );
  assert.equal(
    observe(start({ type: 'reasoning', text: '' }), { type: 'block-delta', index: 0, text: 'x' }),
    true,
  );
  assert.equal(
    observe(start({ type: 'media', kind: 'image', mediaType: 'image/png', source: { base64: '' } })),
    true,
  );
});

test('a prompt that a start reports as zero is estimated for a caller that disconnects: some count it at the end alone', () => {
  const trip = createTrip({ request: createForeignRequest({}), inputEstimate: 30 });
  const meter = new Meter(trip, {} as Mapping);
  meter.observe({ type: 'generation-start', id: '', model: 'm', usage: createUsage() });
  meter.leave();
  assert.equal(meter.bill.usage.inputUncached, 30);
});
