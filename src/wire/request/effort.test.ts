import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effort } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOf, findNearestEffort } from './effort.ts';

test('a budget counts as low, medium or high effort up to its bound, a word as itself', () => {
  const budget = (budgetTokens: number) => effortOf({ mode: 'budget', budgetTokens });
  assert.deepEqual([1, LOW_BUDGET, LOW_BUDGET + 1, MEDIUM_BUDGET, MEDIUM_BUDGET + 1].map(budget), [
    'low',
    'low',
    'medium',
    'medium',
    'high',
  ]);
  assert.equal(effortOf({ mode: 'off', effort: 'high' }), 'none');
  assert.equal(effortOf({ mode: 'budget', budgetTokens: 1, effort: 'max' }), 'max');
  assert.equal(effortOf({ mode: 'budget' }), undefined);
  assert.equal(effortOf({ mode: 'adaptive', budgetTokens: 1 }), undefined);
});

test('of two equally near efforts the stronger is asked for, in whatever order they are listed', () => {
  const nearest = (requested: Effort, ...efforts: Effort[]): (Effort | undefined)[] => [
    findNearestEffort(requested, efforts),
    findNearestEffort(requested, efforts.toReversed()),
  ];
  assert.deepEqual(nearest('medium', 'low', 'high'), ['high', 'high']);
  assert.deepEqual(nearest('minimal', 'none', 'low'), ['low', 'low']);
  assert.deepEqual(nearest('max', 'low', 'medium'), ['medium', 'medium']);
  assert.deepEqual(nearest('low', 'low', 'high'), ['low', 'low']);
});
