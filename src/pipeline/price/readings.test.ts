import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '#canonical';
import { createUsage, sumUsages } from '#canonical';
import { Readings } from './readings.ts';

const BLOCKS = {
  text: { type: 'text', text: '' },
  use: { type: 'native', format: 'messages', value: { type: 'server_tool_use' } },
  result: {
    type: 'native',
    format: 'messages',
    value: { type: 'web_search_tool_result', content: 'x'.repeat(353) },
  },
  other: { type: 'native', format: 'messages', value: { type: 'container_upload' } },
} satisfies Record<string, Block>;

function read(...names: (keyof typeof BLOCKS)[]): Readings {
  const readings = new Readings();
  for (const name of names) readings.see(BLOCKS[name], name === 'use');
  return readings;
}

const FIRST = createUsage({ inputUncached: 1_000, inputCacheRead: 20, inputCacheWrite5m: 3, outputText: 7 });

test('a prompt is read again when the model goes on after results, once for those of a round', () => {
  const inputOf = (...names: (keyof typeof BLOCKS)[]) =>
    sumUsages(read(...names).list(FIRST, false)).inputUncached;
  assert.equal(inputOf('text', 'text', 'other'), 1_000);
  assert.equal(inputOf('text', 'use', 'result'), 1_000);
  assert.equal(inputOf('use', 'result', 'text', 'text'), 2_100);
  assert.equal(inputOf('use', 'use', 'result', 'result', 'text'), 2_200);
  assert.equal(inputOf('use', 'result', 'use', 'result', 'text'), 3_300);
  assert.equal(inputOf('use', 'text'), 2_000, 'items of Responses have no results');
});

test('what is cached is read from the cache again, and all of it where the provider caches by itself', () => {
  const readings = read('use', 'text');
  assert.deepEqual(readings.list(FIRST, false), [
    { ...FIRST, outputText: 0 },
    createUsage({ inputUncached: 1_000, inputCacheRead: 23, outputText: 7 }),
  ]);
  assert.deepEqual(readings.list(FIRST, true), [
    { ...FIRST, outputText: 0 },
    createUsage({ inputCacheRead: 1_023, outputText: 7 }),
  ]);
});

test('a reading has the results of those before it, and the last one the output', () => {
  assert.deepEqual(read().list(FIRST, false), [FIRST]);
  const readings = read('use', 'result', 'use', 'result', 'text').list(FIRST, false);
  assert.deepEqual(
    readings.map(({ inputUncached, outputText }) => [inputUncached, outputText]),
    [
      [1_000, 0],
      [1_100, 0],
      [1_200, 7],
    ],
  );
});
