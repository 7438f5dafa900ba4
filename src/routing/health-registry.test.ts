import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Budget } from './budget.ts';
import { HealthRegistry, ProviderBudgets } from './health-registry.ts';

/** How many extra calls a budget grants at once. */
function drain(budget: Budget, nowMs = 0): number {
  let granted = 0;
  while (granted < 1_000 && budget.spend(nowMs)) granted += 1;
  return granted;
}

test('each first call earns shares of a retry and of a hedge', () => {
  const budgets = new ProviderBudgets(0);
  const drainAll = () =>
    [budgets.retries, budgets.hedges, budgets.explorations].map((budget) => drain(budget));
  assert.deepEqual(drainAll(), [20, 15, 1]);
  assert.deepEqual(drainAll(), [0, 0, 0]);
  for (let request = 0; request < 21; request += 1) {
    budgets.enter();
    budgets.leave();
  }
  assert.deepEqual(drainAll(), [13, 2, 0]);
});

test('time gives back a retry every two seconds and a hedge every ten, but no exploration', () => {
  const budgets = new ProviderBudgets(0);
  const drainAll = (nowMs: number) =>
    [budgets.retries, budgets.hedges, budgets.explorations].map((budget) => drain(budget, nowMs));
  drainAll(0);
  assert.deepEqual(drainAll(20_000), [10, 2, 0]);
});

test('twenty requests earn an exploration, fewer do not', () => {
  const { explorations } = new ProviderBudgets(0);
  drain(explorations);
  for (let request = 0; request < 19; request += 1) explorations.earn();
  assert.equal(explorations.spend(0), false);
  for (let request = 0; request < 2; request += 1) explorations.earn();
  assert.equal(explorations.spend(0), true);
});

test('a registry keeps 10,000 mappings, each with every credential by itself, and drops what was not asked for the longest time', () => {
  const registry = new HealthRegistry();
  const find = (externalId: string, credentialId?: string) =>
    registry.of({ providerId: 'p', externalId }, credentialId);
  const [first, second] = [find('m-0'), find('m-1')];
  assert.notEqual(find('m-0', 'own'), first);
  for (let number = 2; number < 9_999; number += 1) find(`m-${number}`);
  assert.equal(find('m-0'), first);
  find('one more');
  for (let number = 0; number < 20_000; number += 1) {
    find(`new-${number}`);
    assert.equal(find('m-0'), first);
  }
  assert.notEqual(find('m-1'), second);
});
