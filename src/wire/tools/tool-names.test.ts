import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureProcessorMs } from '../../../test/support/processor-time.ts';
import { ToolNames } from './tool-names.ts';

test('a long name that an upstream does not accept is shortened soon, and restored', async () => {
  const names = new ToolNames(64);
  const long = '!'.repeat(20_000_000);
  let sent = '';
  const spentMs = await measureProcessorMs(() => void (sent = names.encode(long)));
  assert.match(sent, /^_{56}[\dA-Za-z]{8}$/);
  assert.equal(names.restore(sent), long);
  assert.ok(spentMs < 400, `${spentMs} ms`);
});
