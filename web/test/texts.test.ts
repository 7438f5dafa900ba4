import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { ERRORS } from '../../src/errors/table.ts';
import { FINISH_REASONS, describeError, describeFinish } from '../src/parts/endings.ts';
import { countOf, shortenBeside } from '../src/parts/format.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const COUNTED =
  'request|model|token|message|attempt|turn|tool|file|day|hour|minute|second|query|querie|settlement|figure|character|connection|row|key|session|change|event|failure|call|agent|image|error';
/** A value in a text, then perhaps a word, then a noun in the plural. */
const PLURAL = new RegExp(`\\}(?:\\{' '\\})? (?!of )(?:[a-z]+ )?(?:${COUNTED})s\\b(?!=)`);

test('a count has its noun in the singular only if it is one', () => {
  assert.deepEqual(
    [0, 1, 2, 1_000].map((count) => countOf(count, 'request')),
    ['0 requests', '1 request', '2 requests', '1,000 requests'],
  );
  assert.equal(countOf(1, 'query', 'queries'), '1 query');
  assert.equal(countOf(2, 'query', 'queries'), '2 queries');
});

test('an amount and its whole look the same only where they are', () => {
  for (const [part, whole, text] of [
    ['49.998764', '50', '< $50.00'],
    ['50', '50.001', '< $50.00'],
    ['50.001', '50', '> $50.00'],
    ['50', '50', '$50.00'],
    ['49.99', '50', '$49.99'],
  ] as const)
    assert.equal(shortenBeside(part, whole), text);
});

test('no text has a plural beside a value that may be one', () => {
  const found = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((name) => name !== 'api/schema.ts')
    .flatMap((name) =>
      readFileSync(SOURCES + name, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          PLURAL.test(line) ? [`${name}:${index + 1}: ${line.trim()}; use countOf`] : [],
        ),
    );
  assert.deepEqual(found, []);
});

test('each way a request ends and each error has words of its own', () => {
  const words = [...FINISH_REASONS.map(describeFinish), ...Object.keys(ERRORS).map(describeError)];
  for (const text of words) assert.match(text, /^[A-Z][A-Za-z\d -]+$/);
  assert.equal(new Set(words).size, words.length);
  assert.equal(describeError('model_not_found'), 'Model not found');
  assert.equal(describeError('upstream_timed_out'), 'Provider timed out');
  assert.equal(describeError('context_length_exceeded'), 'Context length exceeded');
});
