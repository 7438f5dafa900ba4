import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../caller.ts';
import type { HoldRequest } from './ledger.ts';
import { Leases } from './leases.ts';

const AMOUNT = 100n;
const caller: Caller = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };

function send(leases: Leases, count: number, nowMs: number): number {
  let leased = 0;
  for (let number = 0; number < count; number += 1) {
    const requestId = `r${number}`;
    const row = { requestId, organizationId: 'o', projectId: 'p', keyId: 'k', finishReason: '' };
    const request: HoldRequest = { requestId, caller, amount: AMOUNT, row };
    if (leases.take(request, nowMs).lease !== undefined) leased += 1;
  }
  return leased;
}

const END_MS = 1_900;

/** What a lease wants at the end of a report that took so long. */
function readWant(tookMs: number): bigint {
  const leases = new Leases(() => 'lease_1');
  send(leases, 40, 0);
  const [first] = leases.report(END_MS - tookMs, false);
  assert.ok(first);
  assert.equal(first.want, 40n * AMOUNT, 'about a second of requests');
  leases.apply([first], new Map([['lease_1', { amount: first.want }]]), END_MS);
  assert.equal(send(leases, 40, END_MS), 40);
  return leases.report(END_MS, false)[0]?.want ?? 0n;
}

test('a lease lasts for a second of requests, and for two reports where those take longer', () => {
  const [quick, slow] = [readWant(100), readWant(1_900)];
  assert.ok(quick > 0n);
  assert.equal(slow, 4n * quick);
});
