import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { findAffordable, floorOf, leastOutputOf } from './output-limit.ts';

test('a request is shortened to 256 tokens at least, or as many as its project says, and what it may think', () => {
  const measure = (caller: Partial<Caller>, budgetTokens?: number): number[] => {
    const request = createForeignRequest(budgetTokens === undefined ? {} : { reasoning: { budgetTokens } });
    const trip = createTrip({ caller: caller as Caller, request });
    return [floorOf(trip), leastOutputOf(trip)];
  };
  assert.deepEqual(measure({}), [256, 256]);
  assert.deepEqual(measure({}, 1_000), [256, 1_256]);
  assert.deepEqual(measure({ minOutputTokens: 10 }, 1_000), [10, 1_010]);
});

test('of all lengths between two the longest is found that the amount pays for, else the least', () => {
  for (let amount = 0n; amount <= 60n; amount += 1n) {
    // Each token costs 3.
    const found = findAffordable((output) => BigInt(output) * 3n, amount, { least: 4, most: 17 });
    assert.equal(found, Math.min(17, Math.max(4, Math.floor(Number(amount) / 3))), `${amount}`);
  }
});
