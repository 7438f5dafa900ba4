import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNameCheck } from './name-pattern.ts';
import { measureProcessorMs } from '../../../test/support/processor-time.ts';

const matchesPattern = (pattern: string, text: string): boolean => createNameCheck([pattern])(text);

test('in a pattern, a star matches any characters', () => {
  const cases: [string, string, boolean][] = [
    ['gpt-5', 'gpt-5', true],
    ['gpt-5', 'gpt-5.1', false],
    ['gpt-5*', 'gpt-5.1', true],
    ['gpt-5*', 'openai/gpt-5', false],
    ['*', '', true],
    ['*mini', 'gpt-5-mini', true],
    ['a*a', 'a', false],
    ['a*b*c', 'axxbyyc', true],
    ['a*bc*c', 'abc', false],
    ['openai/*', 'openai/gpt-5', true],
    ['', '', true],
    ['', 'a', false],
  ];
  for (const [pattern, text, expected] of cases)
    assert.equal(matchesPattern(pattern, text), expected, `${pattern} ${text}`);
});

test('property: it agrees with the regular expression of the same meaning', () => {
  const letters = (...alphabet: string[]) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 9 });
  fc.assert(
    fc.property(letters('a', 'b', '*'), letters('a', 'b'), (pattern, text) => {
      const expression = new RegExp(`^${pattern.split('*').join('.*')}$`);
      assert.equal(matchesPattern(pattern, text), expression.test(text));
    }),
    { numRuns: 2_000 },
  );
});

test('a hostile pattern costs no more than its length', async () => {
  const tookMs = await measureProcessorMs(() =>
    assert.equal(matchesPattern(`${'*a'.repeat(99)}*b`, 'a'.repeat(200)), false),
  );
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
});
