import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRow } from '../../../../../test/support/fresh-accounts.ts';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import type { KeyStatus } from '#accounts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';

const USD = 1_000_000_000_000n;

const gateway = shareGateway();

const asKey = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });
const read = (account: TestAccount) => gateway.request('/v1/key', asKey(account.apiKey));
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'chat', row: 'none' });

async function spend({ apiKey }: Pick<TestAccount, 'apiKey'>, amount: bigint): Promise<void> {
  const { ledger, identify } = gateway.accounts;
  const caller = await identify(apiKey);
  const row = createRow(caller, `req_${caller.keyId}`);
  const { requestId } = row;
  await ledger.reserve({ requestId, caller, amount, row });
  await ledger.settle({ requestId, customer: amount, provider: 0n, estimated: false, row });
}

test('200: the figures of a pay-as-you-go key, not cacheable', async () => {
  const account = await gateway.createAccount({ label: 'ci – Schlüssel 1', limit: 50n * USD });
  const response = await read(account);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  assert.deepEqual(await response.json(), {
    data: {
      label: 'ci – Schlüssel 1',
      usage: '0',
      limit: '50',
      remaining: '50',
      limits: [{ kind: 'key', limit: '50', usage: '0', remaining: '50', resetsAt: null }],
      devPlan: 'none',
      devPlanCreditsUsed: '0',
      devPlanCreditsLimit: '0',
      devPlanCreditsRemaining: '0',
      devPlanPremiumWeeklyLimit: '0',
      devPlanPremiumCreditsUsed: '0',
      devPlanPremiumWeekResetsAt: null,
    },
  });
});

test('200: usage and limit are exact decimals without padding, or null', async () => {
  const cases: [bigint, bigint | undefined, string, string | null][] = [
    [25n * USD, undefined, '25', null],
    [31_420_000_000_000n, 100n * USD, '31.42', '100'],
    [1n, 2_500_000_000_000n, '0.000000000001', '2.5'],
    [123_456_789_012_345_678_901_234n, undefined, '123456789012.345678901234', null],
  ];
  for (const [used, limit, usage, shown] of cases) {
    const account = await gateway.createAccount(limit === undefined ? {} : { limit });
    await spend(account, used);
    const { data } = (await (await read(account)).json()) as { data: Record<string, unknown> };
    assert.equal(data['usage'], usage);
    assert.equal(data['limit'], shown);
  }
});

test('200: a key over its limit, whose requests are refused, is still readable', async () => {
  const account = await gateway.createAccount();
  await spend(account, 31_420_000_000_000n);
  await gateway.accounts.directory.updateKey(account.keyId, { limit: 25n * USD });
  const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const answer = await gateway.post('/v1/messages', ask, asKey(account.apiKey).headers);
  assert.equal(answer.status, 402);
  const { data } = (await (await read(account)).json()) as { data: Record<string, unknown> };
  assert.equal(data['usage'], '31.42');
  assert.equal(data['limit'], '25');
  assert.equal(data['remaining'], '0');
});

test('200: what is left of every limit of the key, its member, project and organization, and of no other', async () => {
  const { directory } = gateway.accounts;
  const { organizationId, projectId } = await gateway.createAccount();
  const recurring = (usd: bigint) => ({ recurringLimit: { amount: usd * USD, period: 'day' as const } });
  const member = await directory.addMember({
    organizationId,
    name: 'Ada',
    role: 'member',
    limit: 8n * USD,
    ...recurring(7n),
  });
  const limits = { limit: 10n * USD, ...recurring(9n) };
  const { secret } = await directory.createKey({ projectId, label: 'k', memberId: member.id, ...limits });
  await directory.createKey({ projectId, label: 'other', limit: USD });
  await directory.updateProject(projectId, recurring(6n));
  await directory.updateOrganization(organizationId, recurring(5n));
  await directory.addCredits({ organizationId, amount: 4n * USD });
  const list = async () => {
    const response = await gateway.request('/v1/key', asKey(secret));
    const { data } = (await response.json()) as {
      data: Pick<KeyStatus, 'remaining' | 'limits'>;
    };
    return data;
  };
  assert.ok(
    (await list()).limits.every(({ resetsAt }) => resetsAt === null),
    'no period has begun',
  );
  await spend({ apiKey: secret }, 3n * USD);
  const data = await list();
  assert.equal(data.remaining, '7');
  assert.deepEqual(
    data.limits.map(({ kind, limit, usage, remaining }) => [kind, limit, usage, remaining]),
    [
      ['key', '10', '3', '7'],
      ['key_recurring', '9', '3', '6'],
      ['member', '8', '3', '5'],
      ['member_recurring', '7', '3', '4'],
      ['project_recurring', '6', '3', '3'],
      ['organization_recurring', '5', '3', '2'],
      ['credits', '4', '3', '1'],
    ],
  );
  for (const { kind, resetsAt } of data.limits)
    assert.equal(
      resetsAt !== null && Date.parse(resetsAt) > gateway.clock.now(),
      kind.endsWith('_recurring'),
      kind,
    );
});

test('200: the figures have what the answer before cost, the moment it ended', async () => {
  const account = await gateway.createAccount();
  const ask = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  for (let turn = 1; turn <= 3; turn += 1) {
    const answer = await gateway.post('/v1/messages', ask, asKey(account.apiKey).headers);
    await answer.text();
    const cost = BigInt((await gateway.getRow(answer)).customer) * BigInt(turn);
    const { data } = (await (await read(account)).json()) as { data: { usage: string } };
    const [whole = '0', part = ''] = data.usage.split('.');
    assert.equal(BigInt(whole) * USD + BigInt(part.padEnd(12, '0')), cost);
  }
});

test('200: figures that another gateway has not completed in time are marked, and others are not', async (t) => {
  const complete = await read(gateway.account);
  assert.equal(complete.headers.get('x-gateway-usage'), null);
  t.mock.method(gateway.accounts.ledger, 'catchUp', () => Promise.resolve(false));
  const incomplete = await read(gateway.account);
  assert.deepEqual([incomplete.status, incomplete.headers.get('x-gateway-usage')], [200, 'incomplete']);
  assert.deepEqual(await incomplete.json(), await complete.json());
});

test('200: x-api-key is equivalent to a bearer token, and both may be sent with the same key', async () => {
  const { apiKey } = gateway.account;
  const expected = await (await read(gateway.account)).json();
  for (const headers of [
    { 'x-api-key': apiKey },
    { 'x-api-key': apiKey, authorization: `Bearer ${apiKey}` },
  ]) {
    const response = await gateway.request('/v1/key', { headers });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), expected);
  }
});

test('401: no key, an unknown one, one that is off, one that has expired, and two that differ', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  await gateway.accounts.directory.updateKey(keyId, { disabled: true });
  const { apiKey: expired } = await gateway.createAccount({ expiresAt: gateway.clock.now() - 1_000 });
  const cases: [Record<string, string>, Promised['code']][] = [
    [{ authorization: '' }, 'missing_credential'],
    [{ authorization: 'Bearer slc_unknown' }, 'invalid_credential'],
    [{ authorization: 'Bearer' }, 'invalid_credential'],
    [{ authorization: `Token ${gateway.account.apiKey}` }, 'invalid_credential'],
    [{ authorization: `Bearer ${apiKey}` }, 'invalid_credential'],
    [{ 'x-api-key': expired }, 'invalid_credential'],
    [{ authorization: `Bearer ${gateway.account.apiKey}`, 'x-api-key': apiKey }, 'conflicting_credentials'],
  ];
  for (const [headers, code] of cases) {
    const message = await refused(await gateway.request('/v1/key', { headers }), 401, code);
    assert.ok(!message.includes(apiKey) && !message.includes(gateway.account.apiKey));
  }
});

test('401: a key that is switched off while it is in use, from the next request on', async () => {
  const account = await gateway.createAccount();
  assert.equal((await read(account)).status, 200);
  await gateway.accounts.directory.updateKey(account.keyId, { disabled: true });
  await refused(await read(account), 401, 'invalid_credential');
  await gateway.accounts.directory.updateKey(account.keyId, { disabled: false });
  assert.equal((await read(account)).status, 200);
});

test('403: a credential that is no regular key', async () => {
  const admin = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  for (const secret of [admin.secret, 'slcses_anything', 'slcadm_anything']) {
    await refused(await gateway.request('/v1/key', asKey(secret)), 403, 'wrong_credential');
    const headers = { 'x-api-key': secret };
    await refused(await gateway.request('/v1/key', { headers }), 403, 'wrong_credential');
  }
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const response = await gateway.withoutTable('meter', () => gateway.request('/v1/key'));
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
  const id = response.headers.get('x-request-id') ?? '';
  assert.ok(gateway.logLines.some((line) => line.includes(id) && line.includes('\\"meter\\"')));
  assert.equal((await gateway.request('/v1/key')).status, 200);
});

test('503: the database is unavailable, for a cached key and for another', async () => {
  const account = await gateway.createAccount();
  assert.equal((await gateway.request('/v1/key')).status, 200);
  gateway.line.cut();
  for (const { apiKey } of [gateway.account, account]) {
    const response = await gateway.request('/v1/key', asKey(apiKey));
    assert.equal(response.headers.get('retry-after'), '2');
    await refused(response, 503, 'store_unavailable');
  }
  gateway.line.mend();
  assert.equal((await read(account)).status, 200);
});
