import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from './member-store.ts';
import { memberResource } from './resource.ts';

const MEMBER = { id: 'mem_1', limit: 10n, recurringLimit: { amount: 5n, period: 'week' } } as Member;

test('`members limit` and `members recurring` report the limit that they set, or that there is none', () => {
  const report = (name: string, limits: Partial<Member> = {}) =>
    memberResource.commands.commands
      .find((command) => command.name === name)
      ?.format?.({ ...MEMBER, ...limits, secret: '', disabledKeyIds: [] });
  assert.deepEqual(report('limit'), ['mem_1 may spend 0.00000000001 USD in total']);
  assert.deepEqual(report('recurring'), ['mem_1 may spend 0.000000000005 USD per week']);
  assert.deepEqual(report('limit', { limit: null }), ['mem_1 has no total limit']);
  assert.deepEqual(report('recurring', { recurringLimit: null }), ['mem_1 has no recurring limit']);
});
