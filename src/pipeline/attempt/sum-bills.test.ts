import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import type { Bill, BilledPart } from '../request/trip.ts';
import { sumAnswered, sumBills } from './sum-bills.ts';

/** One pico-USD a token. */
const PRICE = parsePrice({ input: '0.000001', output: '0.000001' });

function createPart(tokens: number, factor?: string): BilledPart {
  return {
    modelId: 'm',
    usage: createUsage({ inputUncached: tokens }),
    price: PRICE,
    factors: factor === undefined ? [] : [{ name: 'service_tier', value: 'flex', factor }],
    mapping: {} as Mapping,
  };
}

const createBill = (bill: Partial<Bill>): Bill => ({
  usage: createUsage({}),
  owed: 0n,
  customer: 0n,
  provider: 0n,
  estimated: false,
  ...bill,
});

test('the customer owes for every choice with a cost, down to one pico-USD, and for no other; the provider charges all', () => {
  const [answered, failed] = [createPart(1), createPart(2)];
  const units = [{ unit: 'tool', kind: 'web_search', count: 1 }] as const;
  const bill = sumBills([
    createBill({ usage: answered.usage, parts: [answered], owed: 1n, provider: 1n }),
    createBill({ usage: failed.usage, parts: [failed], units, provider: 5n, estimated: true }),
    createBill({}),
  ]);
  assert.deepEqual(bill, {
    usage: createUsage({ inputUncached: 3 }),
    parts: [answered, failed],
    units,
    owed: 1n,
    provider: 6n,
    estimated: true,
  });
});

test('what tools cost is owed with the choice that used them', () => {
  const bill = createBill({ parts: [createPart(2)], owed: 5n, provider: 5n });
  const { owed, provider } = sumBills([bill, bill]);
  assert.deepEqual([owed, provider], [10n, 10n]);
});

test('the tokens of all choices are rounded up once', () => {
  const bill = createBill({ parts: [createPart(1, '0.5')], owed: 1n, provider: 1n });
  const { owed, provider } = sumBills([bill, bill]);
  assert.deepEqual([owed, provider], [1n, 1n]);
});

test('calls without an answer that went before one are billed to the operator alone, and their tokens are reported to no caller', () => {
  const [silent, answered] = [createPart(3), createPart(4)];
  const answer = createBill({ usage: answered.usage, parts: [answered], owed: 4n, provider: 4n });
  const usage = createUsage({ inputUncached: 7 });
  const both = createBill({
    usage,
    parts: [answered, silent],
    owed: 4n,
    provider: 7n,
    answered: answer,
  });
  const { owed, provider } = sumBills([both, answer]);
  assert.deepEqual([owed, provider], [8n, 11n]);
  assert.deepEqual(sumAnswered([both, answer]), createUsage({ inputUncached: 8 }));
});
