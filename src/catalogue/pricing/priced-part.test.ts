import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { parsePrice } from '../price.ts';
import { mergeParts } from './priced-part.ts';

const TIERED = parsePrice({
  input: '1',
  output: '1',
  tiers: [{ aboveInputTokens: 200_000, input: '2', output: '2' }],
});

test('thousands of parts that cannot be added up are each compared with a few others', () => {
  let compared = 0;
  const price = {
    ...TIERED,
    get version() {
      compared += 1;
      return TIERED.version;
    },
  };
  const parts = Array.from({ length: 5_000 }, (_, at) => ({
    modelId: 'a',
    price,
    factors: [],
    usage: createUsage({ inputUncached: at % 2 === 0 ? 150_000 : 250_000 }),
  }));
  const merged = mergeParts(parts);
  assert.ok(compared < 100_000, `${compared} comparisons`);
  const sum = merged.reduce((total, { usage }) => total + usage.inputUncached, 0);
  assert.equal(sum, 5_000 * 200_000);
});

test('parts of one price are added up, also where those of another model are between them', () => {
  const part = (modelId: string, inputUncached: number) => ({
    modelId,
    price: TIERED,
    factors: [],
    usage: createUsage({ inputUncached }),
  });
  const merged = mergeParts([part('a', 1), part('b', 2), part('a', 3), part('a', 250_000), part('b', 4)]);
  assert.deepEqual(
    merged.map(({ modelId, usage }) => [modelId, usage.inputUncached]),
    [
      ['a', 4],
      ['b', 6],
      ['a', 250_000],
    ],
  );
});
