import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from './member-store.ts';
import { memberResource } from './resource.ts';

const MEMBER = { id: 'mem_1', limit: 10n, recurringLimit: { amount: 5n, period: 'week' } } as Member;

test('`members budget` reports the budgets, or that there is none', () => {
  const command = memberResource.commands.commands.find(({ name }) => name === 'budget');
  const report = (budgets: Partial<Member>) =>
    command?.format?.({ ...MEMBER, ...budgets, secret: '', disabledKeyIds: [] });
  const [total, weekly] = ['0.00000000001 USD in total', '0.000000000005 USD per week'];
  assert.deepEqual(report({}), [`mem_1 may spend ${total} and ${weekly}`]);
  assert.deepEqual(report({ recurringLimit: null }), [`mem_1 may spend ${total}`]);
  assert.deepEqual(report({ limit: null }), [`mem_1 may spend ${weekly}`]);
  assert.deepEqual(report({ limit: null, recurringLimit: null }), ['mem_1 has no budget of its own']);
});
