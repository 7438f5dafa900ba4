import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member, MemberStore } from './member-store.ts';
import { memberResource } from './resource.ts';

const MEMBER = { id: 'mem_1', limit: 10n, recurringLimit: { amount: 5n, period: 'week' } } as Member;

/** What an update writes of a member with both budgets. */
async function update(input: object): Promise<unknown[]> {
  const written: unknown[] = [];
  const note = (...call: unknown[]): Promise<Member> => {
    written.push(call);
    return Promise.resolve(MEMBER);
  };
  const directory = {
    getMember: () => Promise.resolve(MEMBER),
    setMemberRole: (id: string, role: unknown) => note(id, role),
    setMemberBudget: (id: string, budget: unknown) => note(id, budget),
  } as unknown as MemberStore;
  await memberResource.operations['update']?.run({ directory, id: MEMBER.id, input, page: {} });
  return written;
}

test('an update writes what it names: the other budget is kept, and none is written with a role alone', async () => {
  const { limit, recurringLimit } = MEMBER;
  assert.deepEqual(await update({}), []);
  assert.deepEqual(await update({ role: 'admin' }), [['mem_1', 'admin']]);
  assert.deepEqual(await update({ limit: null }), [['mem_1', { limit: null, recurringLimit }]]);
  assert.deepEqual(await update({ recurringLimit: null }), [['mem_1', { limit, recurringLimit: null }]]);
  assert.deepEqual(await update({ role: 'admin', limit: 1n, recurringLimit: null }), [
    ['mem_1', 'admin'],
    ['mem_1', { limit: 1n, recurringLimit: null }],
  ]);
});

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
