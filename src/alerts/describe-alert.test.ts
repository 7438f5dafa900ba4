import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAlert as describe } from './describe-alert.ts';

test('alerts of two budgets of one member differ by kind and period', () => {
  const data = { subject_name: 'Ada', threshold_percent: 80 };
  assert.equal(describe({ ...data, budget: 'member', limit: '100' }), 'Ada, member of 100 USD, 80 %');
  const recurring = { budget: 'member_recurring', limit: '5', period_start: '2026-11-01T00:00:00.000Z' };
  assert.equal(describe({ ...data, ...recurring }), 'Ada, member recurring of 5 USD since 2026-11-01, 80 %');
});

test('an outage names the models that fail', () => {
  assert.equal(describe({ provider: 'acme', models: ['a', 'b'] }), 'acme: a, b');
});
