import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toShare } from './share.ts';

test('a text has the same share in every version, so that an upgrade moves no session and no experiment', () => {
  const shares = ['', 'a', 'gpt-5 key_1', 'prüfung'].map((text) => toShare(text).toFixed(12));
  assert.deepEqual(shares, ['0.668922188575', '0.103526216815', '0.139157070429', '0.293312637950']);
});
