import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRow } from '../../../../test/support/fresh-accounts.ts';
import { encodeReport } from './encode-report.ts';
import { encodeBill } from './encode-settlements.ts';
import type { SettledRequest } from './leased-request.ts';

const CALLER = { keyId: 'k', keyLabel: 'k', organizationId: 'o', projectId: 'p' };

interface Case {
  premium?: boolean;
  hasHold?: boolean;
  standard?: boolean;
  unreached?: boolean;
}

function settled(requestId: string, { premium = false, hasHold = false, ...ending }: Case): SettledRequest {
  const row = createRow(CALLER, requestId);
  const subject = { keyId: 'k', projectId: 'p', organizationId: 'o', premium };
  const settlement = { requestId, customer: 1n, provider: 1n, estimated: false, row, ...ending };
  return {
    request: { requestId, caller: CALLER, amount: 1n, premium, row },
    lease: { id: 'lease', subject } as SettledRequest['lease'],
    settlement: { settlement, subject },
    amount: 1n,
    state: hasHold ? 'held' : 'leased',
    openedMs: 0,
    receipts: [],
  };
}

/** Whether a settled request is reported with a hold that opens, a bill of its own hold, a bill of its lease. */
function reportOf(one: Case): boolean[] {
  const report = encodeReport({ opening: [], settled: [settled('req_one', one)], leases: [] });
  return [2, 3, 4].map((at) => String(report[at]).includes('req_one'));
}

test('a settled request is billed by its lease, or by its hold if it has one', () => {
  for (const premium of [false, true]) {
    assert.deepEqual(reportOf({ premium }), [false, false, true]);
    assert.deepEqual(reportOf({ premium, hasHold: true }), [false, true, false]);
  }
});

test('a premium request that needs none of its allowance gets a hold of its own, which leaves that out', () => {
  for (const ending of [{ standard: true }, { unreached: true }]) {
    assert.deepEqual(reportOf({ premium: true, ...ending }), [true, true, false]);
    assert.deepEqual(reportOf({ premium: true, hasHold: true, ...ending }), [false, true, false]);
    assert.deepEqual(reportOf(ending), [false, false, true], 'others have no allowance');
  }
});

test('a bill reports whether no provider was reached, and whether the allowance is left out', () => {
  const endingOf = (one: Case): unknown[] => {
    return encodeBill(settled('req_one', one).settlement).slice(4);
  };
  assert.deepEqual(endingOf({}), [undefined, undefined]);
  assert.deepEqual(endingOf({ unreached: true }), ['true', undefined]);
  assert.deepEqual(endingOf({ standard: true }), [undefined, 'true']);
});
