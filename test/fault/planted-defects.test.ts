import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PLANTED } from '../support/planted/planted-defects.ts';

/** `npm run test:long -- planted` changes that code. */
test('the code that each planted defect changes is there once', () => {
  for (const { path, before, name } of PLANTED) {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.equal(text.split(before).length - 1, 1, `${name}: ${path}`);
  }
});
