import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrice } from '../price.ts';
import { recountBill } from './recount.ts';

const PRICE = parsePrice({ input: '3', output: '15', perImage: { default: '0.04' } });
const OTHER = parsePrice({ input: '1', output: '5' });
const PRICES = new Map([PRICE, OTHER].map((price) => [price.version, price]));
const bill = { priceVersion: PRICE.version, units: null, modifiers: null };

test('a bill is counted again by tokens and units', () => {
  assert.equal(recountBill({ ...bill, usage: { inputUncached: 2, outputText: 1 } }, PRICES), 21_000_000n);
  const units = [{ unit: 'image' as const, count: 2 }];
  assert.equal(recountBill({ ...bill, usage: {}, units }, PRICES), 80_000_000_000n);
  assert.equal(recountBill({ ...bill, usage: {}, priceVersion: 'unknown' }, PRICES), undefined);
});

test('a bill of parts is counted part by part, each at its own price and factors', () => {
  const usage = { inputUncached: 1_000, outputText: 100 };
  const factors = [{ name: 'speed' as const, value: 'fast', factor: '6' }];
  const modifiers = [
    { model: 'a', priceVersion: PRICE.version, usage: { inputUncached: 400 }, factors },
    { model: 'b', priceVersion: OTHER.version, usage: { inputUncached: 600, outputText: 100 } },
  ];
  // 400 × 3 × 6 + 600 × 1 + 100 × 5 per million
  assert.equal(recountBill({ ...bill, usage, modifiers }, PRICES), 8_300_000_000n);
  const changed = { ...usage, outputText: 101 };
  assert.throws(
    () => recountBill({ ...bill, usage: changed, modifiers }, PRICES),
    /100 outputText by its parts/,
  );
});
