import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { limitUnread } from './limit.ts';

/** What becomes of a body of this length while the key's limit has this wait. */
async function look(length: string | undefined, waitMs: number): Promise<string> {
  const limit = { owner: 'key', kind: 'requests', counter: 'c', most: 1 } as const;
  const ports = { limiter: { look: () => Promise.resolve([{ limit, used: 1, waitMs, resetMs: waitMs }]) } };
  const trip = {
    arrival: { headers: { 'content-length': length }, reply: { addHeader: () => undefined }, format: 'chat' },
    get: () => ({ limits: [limit] }),
    facts: { caller: { limits: [limit] } },
    note: () => undefined,
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
