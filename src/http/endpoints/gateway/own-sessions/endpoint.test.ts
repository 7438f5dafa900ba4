import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import {
  askWith,
  assertInvalidQueries,
  createOwners,
  readOwn,
} from '../../../../../test/support/own-requests.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

/** How many requests each session in a list has. */
async function count(query: string, secret: string): Promise<Record<string, number>> {
  const path = `/v1/sessions${query}`;
  const { data } = await readOwn<{ data: { id: string; requests: number }[] }>(gateway, secret, path);
  return Object.fromEntries(data.map(({ id, requests }) => [id, requests]));
}

test('200: a key sees its part of sessions, its member’s keys together; a session token sees its own alone', async () => {
  const { first, second, other, token } = await createOwners(gateway);
  for (const [secret, session] of [
    [first, 'shared'],
    [second, 'shared'],
    [other, 'shared'],
    [other, 'alone'],
    [token, 'tokens'],
  ] as const)
    await askWith(gateway, secret, { 'x-gateway-session': session });

  assert.deepEqual(await count('', first), { shared: 1, tokens: 1 });
  assert.deepEqual(await count('?of=member', first), { shared: 2, tokens: 1 });
  assert.deepEqual(await count('', other), { shared: 1, alone: 1 });
  assert.deepEqual(await count('', token), { tokens: 1 });
});

test('400: a filter that does not exist, and the member of a credential that is not the key of one', async () => {
  const { other, token } = await createOwners(gateway);
  await assertInvalidQueries(gateway, '/v1/sessions', [
    ['?key_id=key_1', other],
    ['?of=all', other],
    ['?limit=0', other],
    ['?since=never', other],
    ['?of=member', other],
    ['?of=member', token],
  ]);
});

proveKeyRefusals({
  gateway: () => gateway,
  format: 'chat',
  ask: (headers) => gateway.request('/v1/sessions', { headers: headers ?? {} }),
  table: 'request_log',
});
