import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getInboundFormat } from '#wire';
import type { Ports } from '../request/ports.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { recall } from './recall.ts';

const { memory } = getInboundFormat('responses');

/** Whether a short request is among the heavy ones that continues a stored text of so many bytes. */
async function isHeavyAfter(bytes: number): Promise<boolean> {
  const trip = createTrip();
  const past = [{ role: 'user', content: 'x'.repeat(bytes) }];
  const ports = { conversations: { recall: () => Promise.resolve(past) } } as unknown as Ports;
  const body = { model: 'm', input: 'And now?', previous_response_id: 'resp_1' };
  const received = { bytes: Buffer.from(JSON.stringify(body)), body, queue: undefined };
  const whole = await recall(ports, trip, { received, memory });
  assert.ok(whole.byteLength > bytes);
  return trip.facts.queue !== undefined;
}

test('a short request that continues a long conversation is processed in steps, like a long one', async () => {
  assert.equal(await isHeavyAfter(1_000), false);
  assert.equal(await isHeavyAfter(3 * 1024 * 1024), true);
});
