import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { countLookups } from './grounding.ts';

const web = { web: { uri: 'https://a' } };
const image = { image: { uri: 'https://a' } };
const maps = { maps: { uri: 'https://a' } };

const COUNTED: readonly (readonly [metadata: JsonObject, searches: number, maps: number])[] = [
  [{}, 0, 0],
  [{ webSearchQueries: ['a', 'b'] }, 2, 0],
  [{ webSearchQueries: ['a', '', null, 5] }, 1, 0],
  [{ webSearchQueries: ['a', 'b', 'c'], imageSearchQueries: ['d'] }, 4, 0],
  [{ groundingChunks: [web, web] }, 1, 0],
  [{ groundingChunks: [image] }, 1, 0],
  [{ groundingChunks: [maps] }, 0, 1],
  [{ webSearchQueries: ['a', 'b'], groundingChunks: [maps] }, 0, 2],
  [{ webSearchQueries: ['a', 'b'], groundingChunks: [maps, web] }, 2, 1],
  [{ groundingChunks: [maps, web] }, 1, 1],
  [{ groundingChunks: [null, 'x', {}] }, 0, 0],
];

for (const [metadata, searches, lookups] of COUNTED)
  test(`${JSON.stringify(metadata)} is ${searches} searches and ${lookups} lookups of maps`, () => {
    assert.deepEqual(countLookups(metadata), { searches, maps: lookups });
  });

test('an answer without metadata searched nothing', () => {
  for (const metadata of [undefined, null, 'none'])
    assert.deepEqual(countLookups(metadata as never), { searches: 0, maps: 0 });
});
