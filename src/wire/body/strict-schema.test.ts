import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meetsStrictSubset } from './strict-schema.ts';

const PROPERTIES = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}]));
const NAMES = Object.keys(PROPERTIES);

const isStrict = (required: string[]): boolean =>
  meetsStrictSubset({ type: 'object', properties: PROPERTIES, additionalProperties: false, required });

test('an object is closed if it requires each of its properties, and nothing else, however often', () => {
  assert.equal(isStrict(NAMES), true);
  assert.equal(isStrict(NAMES.toReversed()), true);
  assert.equal(isStrict(NAMES.slice(1)), false);
  assert.equal(isStrict([...NAMES, 'other']), false);
  assert.equal(isStrict([...Array<string>(5_000_000).fill('p0'), ...NAMES]), true);
});
