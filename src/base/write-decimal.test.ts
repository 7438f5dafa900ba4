import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeDecimal } from './write-decimal.ts';

test('a number is written as its shortest decimal, without an exponent', () => {
  const cases: [number, string | undefined][] = [
    [0, '0'],
    [25, '25'],
    [0.1, '0.1'],
    [12.5, '12.5'],
    [1e-12, '0.000000000001'],
    [1e20, '100000000000000000000'],
    [-0.25, '-0.25'],
    [999_999_999_999_999, '999999999999999'],
    [0.1 + 0.2, undefined],
    [2 ** 53, undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
  ];
  for (const [value, text] of cases) assert.equal(writeDecimal(value), text, String(value));
});

test('a decimal of at most 15 digits comes back as it was written', () => {
  fc.assert(
    fc.property(fc.nat(999_999), fc.nat(999_999_999), (whole, part) => {
      const fraction = part === 0 ? '' : `.${String(part).padStart(9, '0').replace(/0+$/, '')}`;
      const text = `${whole}${fraction}`;
      assert.equal(writeDecimal(Number(text)), text);
    }),
  );
});
