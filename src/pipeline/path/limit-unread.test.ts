import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { limitUnread, showLimits } from './limit.ts';

/** The looks at the limits, and the headers, of a refusal. */
async function show(facts: object, isOver = false): Promise<[looks: number, headers: number]> {
  const limit = { owner: 'key', kind: 'requests', counter: 'c', most: 1 } as const;
  let looks = 0;
  const look = () => {
    looks += 1;
    return Promise.resolve([{ limit, used: 1, waitMs: 0, resetMs: 0 }]);
  };
  const names = new Set<string>();
  const reply = { isOver, addHeader: (name: string) => names.add(name) };
  const ports = { limiter: { look }, clock: { now: () => 0 } };
  const trip = {
    arrival: { reply, format: { id: 'chat' } },
    facts,
    set: (more: object) => Object.assign(facts, more),
  };
  await showLimits(ports as unknown as Ports, trip as unknown as Trip);
  await showLimits(ports as unknown as Ports, trip as unknown as Trip);
  return [looks, names.size];
}

test('the limits of a caller are shown once, unless it has none or has left', async () => {
  const limits = [{ owner: 'key', kind: 'requests', counter: 'c', most: 1 }];
  const [looks, headers] = await show({ caller: { limits } });
  assert.equal(looks, 1);
  assert.ok(headers > 0);
  const nothing = [0, 0];
  assert.deepEqual(await show({ caller: { limits }, areLimitsShown: true }), nothing);
  assert.deepEqual(await show({ caller: { limits } }, true), nothing);
  assert.deepEqual(await show({ caller: {} }), nothing);
  assert.deepEqual(await show({}), nothing);
});

/** What becomes of a body of this length while the key's limit has this wait. */
async function look(length: string | undefined, waitMs: number): Promise<string> {
  const limit = { owner: 'key', kind: 'requests', counter: 'c', most: 1 } as const;
  const ports = { limiter: { look: () => Promise.resolve([{ limit, used: 1, waitMs, resetMs: waitMs }]) } };
  const trip = {
    arrival: { headers: { 'content-length': length }, reply: { addHeader: () => undefined }, format: 'chat' },
    get: () => ({ limits: [limit] }),
    facts: { caller: { limits: [limit] } },
    set: () => undefined,
  };
  try {
    await limitUnread(ports as unknown as Ports, trip as unknown as Trip);
    return 'read';
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error.code;
  }
}

test('a large body is not read while a request limit has any wait; a small one is', async () => {
  assert.equal(await look('65536', 1), 'rate_limit_exceeded');
  assert.equal(await look('65536', 0), 'read');
  assert.equal(await look('65535', 1), 'read');
  assert.equal(await look(undefined, 1), 'rate_limit_exceeded');
});
