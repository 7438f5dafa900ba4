import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Arrival } from '../request/arrival.ts';
import type { Ports } from '../request/ports.ts';
import { UnattendedAnswers } from '../request/memory/unattended.ts';
import { GatewayError } from '#errors';
import { getInboundFormat } from '#wire';
import { conclude } from './conclude.ts';
import { abandon } from './refuse.ts';
import { NO_BILL, Trip } from '../request/trip.ts';

/** A trip without a caller whose answer has begun, and the faults reported to the operator. */
function openCut() {
  const faults: string[] = [];
  const telemetry = {
    faulted: (requestId: string, { facts }: GatewayError) => faults.push(`${requestId} ${facts.detail}`),
  };
  const reply = { hasBegun: true, isOver: false, drop: () => undefined };
  const trip = new Trip({
    requestId: 'req_1',
    format: getInboundFormat('chat'),
    reply,
  } as unknown as Arrival);
  return { faults, trip, ports: { telemetry, unattended: new UnattendedAnswers() } as unknown as Ports };
}

const fault = (): GatewayError =>
  new GatewayError('internal_error', 'internal error', { detail: 'at line 7' });

test('a fault of the gateway after an answer has begun is reported to the operator; the caller sees a cut answer', async () => {
  const { faults, trip, ports } = openCut();
  await conclude(ports, trip, {
    ending: { type: 'unsupported', error: fault() },
    meter: { hasDelivered: true, bill: NO_BILL, finish: undefined },
    delivery: {
      hasBegun: true,
      transcript: { contentType: '', body: '' },
      finish: () => undefined,
      fail: () => undefined,
      stop: () => undefined,
    },
    slot: undefined,
  });
  assert.deepEqual(faults, ['req_1 at line 7']);
});

test('so is one after the bill was settled', () => {
  const { faults, trip, ports } = openCut();
  trip.close('answered', { bill: NO_BILL });
  abandon(ports, trip, fault());
  assert.deepEqual(faults, ['req_1 at line 7']);
});
