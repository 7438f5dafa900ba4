import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, column, defineRecord, ifSet, moment, orNull } from './record.ts';

const KEY = defineRecord(
  {
    id: column<string>('k.id'),
    limit: orNull(amount('m.lim')),
    usage: amount('m.used'),
    expiresAt: ifSet(moment('k.expires_at')),
  },
  {
    columns: 'k.first, k.last',
    read: ({ first, last }: { first: string; last: string }) => ({ name: `${first} ${last}` }),
  },
);

test('a record is selected under the names of its members', () => {
  assert.equal(
    KEY.columns,
    'k.id AS "id", (m.lim)::text AS "limit", (m.used)::text AS "usage", ' +
      'round(extract(epoch FROM k.expires_at) * 1000)::float8 AS "expiresAt", k.first, k.last',
  );
});

test('of what is null, a record has null or no member, and what several columns hold is one', () => {
  const row = { id: 'key_1', limit: null, usage: '1', expiresAt: null, first: 'Ada', last: 'King' };
  assert.deepEqual(KEY.read(row), { id: 'key_1', limit: null, usage: 1n, name: 'Ada King' });
  assert.deepEqual(KEY.read({ ...row, limit: '2', expiresAt: 3 }), {
    id: 'key_1',
    limit: 2n,
    usage: 1n,
    expiresAt: 3,
    name: 'Ada King',
  });
});
