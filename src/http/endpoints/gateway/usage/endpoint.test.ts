import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import {
  askWith,
  assertInvalidQueries,
  createOwners,
  getAs,
  readOwn,
} from '../../../../../test/support/own-requests.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

interface Report {
  data: { group: Record<string, string>; requests: number; cost: string; provider_cost?: string }[];
  total: { requests: number; cost: string } | null;
}

const read = (query: string, secret: string) => readOwn<Report>(gateway, secret, `/v1/usage${query}`);

/** What groups and how many requests a report has. */
const count = ({ data, total }: Report): unknown => [
  Object.fromEntries(data.map(({ group, requests }) => [Object.values(group).join(), requests])),
  total?.requests ?? 0,
];

test('200: a key sees what was asked with it, and its member’s keys together; a session token sees its own alone', async () => {
  const { first, second, other, token, again } = await createOwners(gateway);
  for (const [secret, user] of [
    [first, 'eve'],
    [first, 'bob'],
    [second, 'bob'],
    [other, 'bob'],
    [token, ''],
    [again, ''],
  ] as const)
    await askWith(gateway, secret, { 'x-gateway-user': user });

  assert.deepEqual(count(await read('?by=user', first)), [{ eve: 3, bob: 1 }, 4]);
  assert.deepEqual(count(await read('?by=user&of=member', first)), [{ eve: 3, bob: 2 }, 5]);
  assert.deepEqual(count(await read('?by=user&of=member', second)), [{ eve: 3, bob: 2 }, 5]);
  assert.deepEqual(count(await read('?by=user', other)), [{ bob: 1 }, 1]);
  const own = await read('?by=user', token);
  assert.deepEqual(count(own), [{ eve: 1 }, 1], 'not what others asked for the same end user');
  assert.equal(own.data[0]?.provider_cost, undefined);
  const { data } = (await (await getAs(gateway, other, '/v1/key')).json()) as { data: { usage: string } };
  assert.equal((await read('', other)).total?.cost, data.usage);
});

test('400: an invalid report, and the member of a credential that is not the key of one', async () => {
  const { other, token } = await createOwners(gateway);
  await assertInvalidQueries(gateway, '/v1/usage', [
    ['?by=colour', other],
    ['?top=0', other],
    ['?since=never', other],
    ['?of=everyone', other],
    ['?key_id=key_1', other],
    ['?of=member', other],
    ['?of=member', token],
  ]);
});

proveKeyRefusals({
  gateway: () => gateway,
  format: 'chat',
  ask: (headers) => gateway.request('/v1/usage', { headers: headers ?? {} }),
  table: 'log_state',
});
