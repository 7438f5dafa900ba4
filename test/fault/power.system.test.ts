import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPowerPlan } from '../support/power-run.ts';

test('a journal that a power failure cut off: nothing is overspent or booked twice, and what is missing is booked as lost', async () => {
  const figures = await runPowerPlan({ seed: 5, cuts: 40 });
  assert.ok(figures.forgotten > 0, 'requests were forgotten');
});
