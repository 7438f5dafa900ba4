import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFinish, encodeFinish, findFinishFailure } from './finish.ts';

const NOTHING = { hasCalls: false, hasRefusal: false, matched: undefined };

test('an unknown finish reason is passed on unchanged, even if it names a member of Object.prototype', () => {
  for (const raw of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'because']) {
    assert.deepEqual(decodeFinish(raw, NOTHING), { reason: 'unknown', raw });
    assert.equal(findFinishFailure(raw), undefined);
  }
});

test('an answer with a refusal ends as OpenAI’s does, unless the provider reported a content filter', () => {
  const wordOf = (raw: string, hasRefusal: boolean) => {
    const given = { hasCalls: false, hasRefusal };
    return encodeFinish(decodeFinish(raw, { ...NOTHING, ...given }), given);
  };
  assert.equal(wordOf('stop', true), 'stop');
  assert.equal(wordOf('content_filter', true), 'content_filter');
  assert.equal(wordOf('content_filter', false), 'content_filter');
  assert.equal(
    encodeFinish({ reason: 'content-filter', raw: 'completed' }, { hasCalls: false, hasRefusal: true }),
    'stop',
  );
  assert.equal(
    encodeFinish({ reason: 'content-filter', raw: 'refusal' }, { hasCalls: false, hasRefusal: false }),
    'content_filter',
  );
});
