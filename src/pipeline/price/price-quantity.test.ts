import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrice } from '#catalogue';
import { createUsage } from '#canonical';
import { priceQuantity } from './price-quantity.ts';

test('a quantity costs its tokens and its units, and nothing where there is no price', () => {
  const quantity = {
    usage: createUsage({ inputUncached: 7 }),
    units: [{ unit: 'search', count: 5 }],
  } as const;
  const price = parsePrice({ input: '1', output: '2', perSearch: '0.25' });
  assert.equal(priceQuantity({ price }, quantity), 7n * 1_000_000n + 5n * 250_000_000_000n);
  assert.equal(priceQuantity({}, quantity), 0n);
});
