import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import type { Ports } from '../request/ports.ts';
import type { Bill, TripFacts } from '../request/trip.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { coverDebt } from './cover-debt.ts';

const HOLD = { requestId: 'req_1', amount: 100n };

/** What is asked of the ledger for an answer that costs so much, and what is held afterwards. */
async function cover(owed: bigint, facts: Partial<TripFacts>, total?: bigint): Promise<unknown[]> {
  const trip = createTrip(facts);
  const asked: unknown[] = [];
  const grow = (request: unknown): Promise<bigint> => {
    asked.push(request);
    return total === undefined
      ? Promise.reject(new GatewayError('credits_exhausted', 'nothing is left'))
      : Promise.resolve(total);
  };
  await coverDebt({ accounts: { ledger: { grow } } } as unknown as Ports, trip, { bill: { owed } as Bill });
  return [asked, trip.facts.hold?.amount];
}

test('what an answer costs beyond its hold is held too, as far as the budget goes', async () => {
  const charged = { hold: HOLD, answerPrices: new Map() };
  const missing = (amount: bigint) => [{ requestId: 'req_1', amount, leastAmount: 1n }];
  assert.deepEqual(await cover(101n, charged, 101n), [missing(1n), 101n]);
  assert.deepEqual(await cover(150n, charged, 120n), [missing(50n), 120n]);
  assert.deepEqual(await cover(150n, charged), [missing(50n), 100n], 'nothing is left');
  assert.deepEqual(await cover(100n, charged, 150n), [[], 100n], 'the hold covers it');
  assert.deepEqual(await cover(20n, charged, 150n), [[], 100n]);
});

test('no more is held for an answer that is not charged', async () => {
  assert.deepEqual(await cover(150n, { hold: HOLD }, 150n), [[], 100n]);
  assert.deepEqual(await cover(150n, { answerPrices: new Map() }, 150n), [[], undefined]);
});
