import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRecallPlan } from '../support/recall-run.ts';

test('processes with leases that race for the rest of a budget: all of it is spent, no more, and no request is refused before', async () => {
  const figures = await runRecallPlan({ seed: 32, rounds: 4 });
  assert.ok(figures.leases > 0, 'leases were open');
  assert.equal(figures.overspent, 0);
  assert.equal(figures.affordable, 0);
});
