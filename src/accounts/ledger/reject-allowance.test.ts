import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RejectAllowance } from './reject-allowance.ts';

const MOST_ROWS = 20_000;
const MOST_KEYS = 10_000;

function createAllowance() {
  let nowMs = 1_000;
  const allowance = new RejectAllowance({ now: () => 0, monotonicMs: () => nowMs });
  return {
    allowance,
    advance: (byMs: number) => (nowMs += byMs),
    use: (keyId: string, rows: number) => {
      for (let row = 0; row < rows; row += 1) assert.equal(allowance.take(keyId), true);
    },
  };
}

test('a key’s rejected requests get 20,000 rows a minute, whatever other keys do', () => {
  const { allowance, use, advance } = createAllowance();
  use('key', MOST_ROWS);
  assert.equal(allowance.take('key'), false);
  assert.equal(allowance.take('other'), true);
  advance(59_999);
  assert.equal(allowance.take('key'), false);
  advance(1);
  use('key', MOST_ROWS);
  assert.equal(allowance.take('key'), false);
});

test('the windows of 10,000 keys are kept, so that unknown keys cannot fill the memory', () => {
  const { allowance, use } = createAllowance();
  use('oldest', MOST_ROWS);
  for (let key = 1; key < MOST_KEYS; key += 1) use(`key-${key}`, 1);
  assert.equal(allowance.take('oldest'), false);
  for (let key = 0; key < MOST_KEYS; key += 1) use(`later-${key}`, 1);
  assert.equal(allowance.take('oldest'), true);
});
