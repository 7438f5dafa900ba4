import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStaleFiles } from './generate.ts';

test('generated files say what the code says; if not, run npm run generate', () => {
  assert.deepEqual(findStaleFiles(), []);
});
