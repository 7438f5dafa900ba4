import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '#base';
import { createPlanCatalogue } from './plan-terms.ts';

test('a plan has the terms of the configuration, and those it omits by default; it may be free', () => {
  const { lite, pro } = createPlanCatalogue({ lite: { price: '0', premiumPercent: '0' } });
  assert.deepEqual(lite, { price: 0n, credits: parseUsd('87'), premiumWeekly: 0n });
  assert.deepEqual(pro, {
    price: parseUsd('79'),
    credits: parseUsd('237'),
    premiumWeekly: parseUsd('35.55'),
  });
});

test('an amount that is no decimal, or negative, is refused by name', () => {
  for (const price of ['many', '-1'])
    assert.throws(() => createPlanCatalogue({ max: { price } }), new RegExp(`plans: "${price}"`));
});
