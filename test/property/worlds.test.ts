import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeWorlds } from '../support/worlds/world-summary.ts';
import { repetitions } from '../support/repetitions.ts';

/** The long form is `npm run test:long -- worlds`. */
const WORLDS = repetitions(60);

test('in random worlds no budget is exceeded, no good provider is starved, and nothing flaps', async () => {
  const { broken } = await summarizeWorlds({ seed: 1, count: WORLDS });
  assert.deepEqual(broken, []);
});

test('a world is the same each time', async () => {
  const [one, other] = [
    await summarizeWorlds({ seed: 109_853, count: 2 }),
    await summarizeWorlds({ seed: 109_853, count: 2 }),
  ];
  assert.deepEqual(one, other);
});
