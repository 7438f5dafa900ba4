import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUsd, parsePricePerMillion, parseUsd } from './money.ts';

test('an amount survives formatting and parsing exactly', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
      (amount) => parseUsd(formatUsd(amount)) === amount,
    ),
  );
});

test('amounts are written without padding and without exponents', () => {
  assert.equal(formatUsd(0n), '0');
  assert.equal(formatUsd(100n * 10n ** 12n), '100');
  assert.equal(formatUsd(25n * 10n ** 12n), '25');
  assert.equal(formatUsd(31_420_000_000_000n), '31.42');
  assert.equal(formatUsd(1n), '0.000000000001');
  assert.equal(formatUsd(-500_000_000_000n), '-0.5');
});

test('what is no amount, or finer than a pico-USD, is refused', () => {
  for (const text of [
    '',
    'abc',
    '1e3',
    '1.',
    '.5',
    '0x10',
    '1,5',
    'NaN',
    'Infinity',
    '0.0000000000001',
    '--1',
  ]) {
    assert.equal(parseUsd(text), undefined, text);
  }
});

test('a price per million is exact per unit', () => {
  assert.equal(parsePricePerMillion('3'), 3_000_000n);
  assert.equal(parsePricePerMillion('0.075'), 75_000n);
  assert.equal(parsePricePerMillion('0.0000001'), undefined);
});
