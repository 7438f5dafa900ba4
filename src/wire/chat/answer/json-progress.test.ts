import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonProgress } from './json-progress.ts';

/** Texts with all that JSON escapes and with the brackets that it does not count. */
const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '{', '}]', '[', '\\\\"}'));
const closed = fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.array(fc.oneof(text, fc.jsonValue())));

test('an object or array is complete with its last character and not before, however it is cut', () => {
  fc.assert(
    fc.property(closed, fc.nat(), fc.constantFrom('', '{"more":1}', '"'), (value, cut, more) => {
      const json = JSON.stringify(value);
      const progress = new JsonProgress();
      const at = cut % json.length;
      progress.push(json.slice(0, at));
      assert.equal(progress.isComplete, false);
      progress.push(json.slice(at, -1));
      assert.equal(progress.isComplete, false, json.slice(0, -1));
      progress.push(json.slice(-1));
      assert.equal(progress.isComplete, true, json);
      progress.push(more);
      assert.equal(progress.isComplete, true, 'and stays so');
    }),
    { numRuns: 300 },
  );
});
