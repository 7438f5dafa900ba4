import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFinish, findFinishFailure } from './finish.ts';

const NOTHING = { hasCalls: false, hasRefusal: false, matched: undefined };

test('a word that an upstream made up is told as it came, whatever objects are made of', () => {
  for (const raw of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'because']) {
    assert.deepEqual(decodeFinish(raw, NOTHING), { reason: 'unknown', raw });
    assert.equal(findFinishFailure(raw), undefined);
  }
});
