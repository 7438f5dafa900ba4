import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { proveKeyRefusals } from '../../../../../test/support/key-refusals.ts';
import { assertRefusal } from '../../../../../test/support/refusal.ts';

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(() => gateway[Symbol.asyncDispose]());
afterEach(() => gateway.line.mend());

interface Report {
  data: { group: Record<string, string>; requests: number; cost: string; provider_cost?: string }[];
  total: { requests: number; cost: string } | null;
}

const asSecret = (secret: string) => ({ authorization: `Bearer ${secret}` });
const get = (query: string, secret: string) =>
  gateway.request(`/v1/usage${query}`, { headers: asSecret(secret) });

async function read(query: string, secret: string): Promise<Report> {
  const response = await get(query, secret);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  return (await response.json()) as Report;
}

async function ask(secret: string, user: string): Promise<void> {
  const body = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const answer = await gateway.post('/v1/messages', body, { ...asSecret(secret), 'x-gateway-user': user });
  await answer.text();
  await gateway.getRow(answer);
}

/** What groups and how many requests a report has. */
const count = ({ data, total }: Report): unknown => [
  Object.fromEntries(data.map(({ group, requests }) => [Object.values(group).join(), requests])),
  total?.requests ?? 0,
];

test('200: a key sees what was asked with it, and its member’s keys together; a session token sees its own alone', async () => {
  const { directory } = gateway.accounts;
  const { organizationId, projectId } = await gateway.createAccount();
  const member = await directory.addMember({ organizationId, name: 'ann', role: 'member' });
  const create = (label: string, of?: string) =>
    directory.createKey({ projectId, label, ...(of !== undefined && { memberId: of }) });
  const [first, second] = [await create('first', member.id), await create('second', member.id)];
  const other = await create('other');
  const mint = () =>
    directory.createSessionToken({ keyId: first.key.id, budget: 10n ** 15n, endUserId: 'eve' });
  const [token, again] = [await mint(), await mint()];
  for (const [secret, user] of [
    [first.secret, 'eve'],
    [first.secret, 'bob'],
    [second.secret, 'bob'],
    [other.secret, 'bob'],
    [token.secret, ''],
    [again.secret, ''],
  ] as const)
    await ask(secret, user);

  assert.deepEqual(count(await read('?by=user', first.secret)), [{ eve: 3, bob: 1 }, 4]);
  assert.deepEqual(count(await read('?by=user&of=member', first.secret)), [{ eve: 3, bob: 2 }, 5]);
  assert.deepEqual(count(await read('?by=user&of=member', second.secret)), [{ eve: 3, bob: 2 }, 5]);
  assert.deepEqual(count(await read('?by=user', other.secret)), [{ bob: 1 }, 1]);
  const own = await read('?by=user', token.secret);
  assert.deepEqual(count(own), [{ eve: 1 }, 1], 'not what others asked for the same end user');
  assert.equal(own.data[0]?.provider_cost, undefined);
  const { data } = (await (await gateway.request('/v1/key', { headers: asSecret(other.secret) })).json()) as {
    data: { usage: string };
  };
  assert.equal((await read('', other.secret)).total?.cost, data.usage);
});

test('400: an invalid report, and the member of a credential that is not the key of one', async () => {
  const { apiKey, keyId } = gateway.account;
  const created = { keyId, budget: 10n ** 15n, endUserId: 'eve' };
  const token = await gateway.accounts.directory.createSessionToken(created);
  for (const [query, secret] of [
    ['?by=colour', apiKey],
    ['?top=0', apiKey],
    ['?since=never', apiKey],
    ['?of=everyone', apiKey],
    ['?key_id=key_1', apiKey],
    ['?of=member', apiKey],
    ['?of=member', token.secret],
  ] as const)
    await assertRefusal(await get(query, secret), { format: 'chat', status: 400, code: 'invalid_request' });
});

proveKeyRefusals({
  gateway: () => gateway,
  format: 'chat',
  ask: (headers) => gateway.request('/v1/usage', { headers: headers ?? {} }),
  table: 'log_state',
});
