import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStaleFiles } from './generate.ts';

test('generated files are up to date (otherwise run npm run generate)', () => {
  assert.deepEqual(findStaleFiles(), []);
});
