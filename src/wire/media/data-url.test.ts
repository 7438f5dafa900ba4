import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDataUrl, decodeAddress } from './data-url.ts';

test('a data URL is recognized, whatever parameters it has', () => {
  assert.deepEqual(decodeAddress('data:text/plain;charset=utf-8;name=a;base64,QUJD'), {
    mediaType: 'text/plain',
    source: { base64: 'QUJD' },
  });
  assert.deepEqual(decodeAddress('data:;base64,QUJD'), { source: { base64: 'QUJD' } });
  assert.deepEqual(decodeAddress('data:text/plain,ABC'), { source: { url: 'data:text/plain,ABC' } });
});

test('millions of parameters are refused, and do not exceed what a regular expression can go back', () => {
  assert.ok(checkDataUrl(`data:image/png${';a'.repeat(12_000_000)};base64,QUJD`));
  assert.ok(checkDataUrl(`data:image/png;${'a'.repeat(24_000_000)}`));
});
