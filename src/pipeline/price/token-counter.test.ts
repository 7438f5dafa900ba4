import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokensOf } from './token-counter.ts';

test('counts that wait when the thread fails are rejected, and the next is made by a new thread', async () => {
  assert.equal(await countTokensOf(['one two three']), 3);
  const failing = [countTokensOf([7 as unknown as string]), countTokensOf(['one'])];
  const ends = await Promise.allSettled(failing);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await countTokensOf(['one two three']), 3);
});
