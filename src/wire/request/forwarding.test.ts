import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAT_DIALECT } from '#canonical';
import { fitsRoles, forwardList } from './forwarding.ts';

test('instructions are forwarded where the dialect takes them', () => {
  const fits = (midSystem: 'in-place' | 'as-user', systemRole: 'system' | 'developer', ...roles: string[]) =>
    fitsRoles(
      roles.map((role) => ({ role })),
      { ...CHAT_DIALECT, midSystem, systemRole },
    );
  assert.equal(fits('as-user', 'developer', 'system', 'developer', 'user'), true, 'at the start');
  assert.equal(fits('as-user', 'developer', 'user', 'system'), false);
  assert.equal(fits('as-user', 'developer', 'user', 'developer'), false);
  assert.equal(fits('in-place', 'developer', 'user', 'developer'), true);
  assert.equal(fits('in-place', 'system', 'system', 'user', 'system'), true);
  assert.equal(fits('in-place', 'system', 'developer', 'user'), false, 'a role it does not know');
});

test('a list that nothing changes is the same list; else it has the changed items without the dropped ones', () => {
  const items = [1, 2, 3, 4];
  assert.equal(
    forwardList(items, (item) => item),
    items,
  );
  const dropped: [number, number[]][] = [];
  const forwarded = forwardList(
    items,
    (item) => (item === 2 ? undefined : item === 3 ? 30 : item),
    (item, kept) => dropped.push([item, [...kept]]),
  );
  assert.deepEqual(forwarded, [1, 30, 4]);
  assert.deepEqual(dropped, [[2, [1]]]);
  assert.deepEqual(items, [1, 2, 3, 4]);
});
