import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHORT_PARTS, proveCopied } from '../../../test/support/short-parts.ts';
import { IncomingAnswer } from './incoming-answer.ts';

test('an answer in chunks of a byte takes little more memory than its bytes', async () => {
  const answer = new IncomingAnswer();
  await proveCopied((part) => answer.keep(part));
  assert.deepEqual(answer.take(), SHORT_PARTS);
});

test('of an error, 64 KiB are kept, however it is cut', () => {
  const answer = new IncomingAnswer();
  const part = Buffer.alloc(1_000, 'x');
  let count = 1;
  while (answer.keepError(part)) count += 1;
  assert.equal(count, 66);
  assert.equal(answer.keepError(part), false);
  assert.equal(answer.takeError().body.length, 64 * 1024);
});
