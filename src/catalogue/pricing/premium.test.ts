import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPremium } from './premium.ts';
import { parsePrice } from '../price.ts';

const RULE = { input: 5_000_000n, output: 15_000_000n };

test('a model is premium from either threshold on', () => {
  const table: [input: string, output: string, premium: boolean][] = [
    ['5', '1', true],
    ['4.999999', '14.999999', false],
    ['1', '15', true],
    ['3', '15', true],
    ['0', '0', false],
  ];
  for (const [input, output, premium] of table) {
    assert.equal(isPremium({ price: parsePrice({ input, output }) }, RULE), premium, `${input}/${output}`);
  }
});

test('a catalogue entry may override the rule, and a model without a price is not premium', () => {
  assert.equal(isPremium({ price: parsePrice({ input: '9', output: '9' }), premium: false }, RULE), false);
  assert.equal(isPremium({ price: parsePrice({ input: '0', output: '0' }), premium: true }, RULE), true);
  assert.equal(isPremium({}, RULE), false);
});
