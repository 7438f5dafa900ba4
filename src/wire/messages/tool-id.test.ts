import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFittingToolId } from './tool-id.ts';

test('an id of the maximum length is kept; a longer one is cut and stays distinct', () => {
  const longest = 'x'.repeat(256);
  assert.equal(toFittingToolId(longest), longest);
  const [one, two] = [toFittingToolId(`${longest}1`), toFittingToolId(`${longest}2`)];
  assert.deepEqual([one.length, two.length], [256, 256]);
  assert.notEqual(one, two);
  assert.equal(toFittingToolId('x'.repeat(9), 9), 'x'.repeat(9));
});
