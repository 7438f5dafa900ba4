import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { FormatId } from '#canonical';
import type { JsonObject } from '#base';
import { ENDPOINTS } from '#http';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { assertRefused } from '../../../../../test/support/refusal.ts';
import { answer } from '../../../../../test/support/upstream-replies.ts';

const gateway = shareGateway();
before(() => {
  gateway.upstream.script({ reply: answer({ text: 'hello' }) });
});

const MESSAGES = [{ role: 'user', content: 'hello' }];
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };

interface Way {
  format: FormatId;
  path: (model: string) => string;
  body: (model: string) => JsonObject;
  /** Whether it costs something. */
  isPaid: boolean;
}

/** Every way to call a model. */
const WAYS: Record<string, Way> = {
  messages: {
    format: 'messages',
    path: () => '/v1/messages',
    body: (model) => ({ model, max_tokens: 8, messages: MESSAGES }),
    isPaid: true,
  },
  count: {
    format: 'messages',
    path: () => '/v1/messages/count_tokens',
    body: (model) => ({ model, messages: MESSAGES }),
    isPaid: false,
  },
  chat: {
    format: 'chat',
    path: () => '/v1/chat/completions',
    body: (model) => ({ model, max_tokens: 8, messages: MESSAGES }),
    isPaid: true,
  },
  responses: {
    format: 'responses',
    path: () => '/v1/responses',
    body: (model) => ({ model, max_output_tokens: 16, input: 'hello' }),
    isPaid: true,
  },
  gemini: {
    format: 'gemini',
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: () => ({ ...GEMINI, generationConfig: { maxOutputTokens: 8 } }),
    isPaid: true,
  },
};

const asKey = (secret: string) => ({ authorization: `Bearer ${secret}` });
const call = (way: Way, secret: string, model = 'chat-model') =>
  gateway.post(way.path(model), way.body(model), asKey(secret));

interface Token {
  id: string;
  token: string;
  account: TestAccount;
}

async function mint(options: JsonObject = {}, account?: TestAccount): Promise<Token> {
  const of = account ?? (await gateway.createAccount());
  const body = { limit: '1', ...options };
  const response = await gateway.post('/v1/session_tokens', body, asKey(of.apiKey));
  assert.equal(response.status, 200);
  return { ...((await response.json()) as { id: string; token: string }), account: of };
}

async function readUsage({ account, id }: Token): Promise<{ token: bigint; key: bigint }> {
  const { directory } = gateway.accounts;
  const sessions = await directory.listSessionTokens({ keyId: account.keyId, ended: true });
  const keys = await directory.listKeys({ projectId: account.projectId });
  return {
    token: sessions.find((session) => session.id === id)?.usage ?? -1n,
    key: keys.find((key) => key.id === account.keyId)?.usage ?? -1n,
  };
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`${name}: a token calls models; its budget and its key are charged the cost of the log row`, async () => {
    const token = await mint();
    const response = await call(way, token.token);
    assert.equal(response.status, 200, await response.text());
    const row = await gateway.getRow(response);
    const cost = BigInt(row.customer);
    assert.equal(cost > 0n, way.isPaid);
    assert.equal(row.keyId, token.account.keyId);
    assert.deepEqual(await readUsage(token), { token: cost, key: cost });
  });

  test(`${name}: 401 for a token that is unknown or was revoked, in the caller’s format`, async () => {
    const token = await mint();
    await gateway.accounts.directory.revokeSessionToken(token.id);
    for (const secret of [token.token, 'slcses_anything']) {
      const expected = { status: 401, code: 'invalid_credential', format: way.format, row: 'none' } as const;
      await assertRefused(gateway, await call(way, secret), expected);
    }
  });

  test(`${name}: 403 for a model the token does not list, with a log row at cost 0`, async () => {
    const { token } = await mint({ models: ['messages-*'] });
    const expected = { status: 403, code: 'model_not_allowed', format: way.format } as const;
    const message = await assertRefused(gateway, await call(way, token), expected);
    assert.match(message, /the session token \(allow-models\) does not allow model "chat-model"/);
  });

  test(`${name}: 403 for a viewer’s key and its tokens, with a log row at cost 0`, async () => {
    const account = await gateway.createAccount();
    const { directory } = gateway.accounts;
    const { organizationId, projectId } = account;
    const { id: memberId } = await directory.addMember({ organizationId, name: 'V', role: 'admin' });
    const { secret, key } = await directory.createKey({ projectId, label: 'v', memberId });
    const { token } = await mint({}, { ...account, apiKey: secret, keyId: key.id });
    await directory.updateMember(memberId, { role: 'viewer' });
    for (const credential of [secret, token]) {
      const expected = { status: 403, code: 'role_not_allowed', format: way.format } as const;
      const message = await assertRefused(gateway, await call(way, credential), expected);
      assert.match(message, /role viewer, who may not call models/);
    }
    assert.equal((await gateway.request('/v1/key', { headers: asKey(secret) })).status, 200);
  });

  if (!way.isPaid) continue;
  test(`${name}: 402 when the token’s or its member’s budget is exhausted, with the amount and a log row at cost 0`, async () => {
    const poor = await mint({ limit: '0.000001' });
    const expected = { status: 402, format: way.format } as const;
    const response = await call(way, poor.token);
    const code = 'session_budget_reached';
    const message = await assertRefused(gateway, response, { ...expected, code });
    assert.match(message, /This session token has a budget of 0\.000001 USD/);
    const { organizationId, projectId } = poor.account;
    const { directory } = gateway.accounts;
    const { id: memberId } = await directory.addMember({
      organizationId,
      name: 'M',
      role: 'member',
      recurringLimit: { amount: 1n, period: 'day' },
    });
    const { secret } = await directory.createKey({ projectId, label: 'm', memberId });
    const reported = await assertRefused(gateway, await call(way, secret), {
      ...expected,
      code: 'member_budget_reached',
    });
    assert.match(reported, /member this key belongs to has a recurring budget of 0\.000000000001 USD/);
  });
}

test('every other endpoint that needs a key refuses a token with 403', async () => {
  const { token } = await mint();
  const others = ENDPOINTS.filter(({ auth }) => auth === 'regular');
  assert.ok(others.length >= 4);
  for (const { method, path, format } of others) {
    const response = await gateway.request(path.replace(':id', 'resp_x'), { method, headers: asKey(token) });
    await assertRefused(gateway, response, { status: 403, code: 'wrong_credential', format, row: 'none' });
  }
});

test('GET /v1/models lists what a token may use, and is not cacheable', async () => {
  const { token } = await mint({ models: ['messages-model', 'nobody'] });
  const response = await gateway.request('/v1/models', { headers: asKey(token) });
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  const { data } = (await response.json()) as { data: { id: string }[] };
  assert.deepEqual(
    data.map(({ id }) => id),
    ['messages-model'],
  );
  const bad = await gateway.request('/v1/models', { headers: asKey('slcses_anything') });
  await assertRefused(gateway, bad, { status: 401, code: 'invalid_credential', format: 'chat', row: 'none' });
});

test('a token only narrows: a model that its key may not use it may not use either', async () => {
  const token = await mint({ models: ['chat-model'] });
  await gateway.accounts.directory.addRule({
    layer: 'key',
    subjectId: token.account.keyId,
    type: 'deny-models',
    values: ['chat-model'],
  });
  const expected = { status: 403, code: 'model_not_allowed', format: 'chat' } as const;
  await assertRefused(gateway, await call(WAYS['chat']!, token.token), expected);
});

test('a stored response of an end user can be continued only by that user, not by others or the key', async () => {
  const account = await gateway.createAccount();
  const [ada, again, bob, nameless] = [
    await mint({ user: 'ada' }, account),
    await mint({ user: 'ada' }, account),
    await mint({ user: 'bob' }, account),
    await mint({}, account),
  ];
  const way = WAYS['responses']!;
  const ask = (secret: string, more: JsonObject = {}) =>
    gateway.post('/v1/responses', { ...way.body('chat-model'), store: true, ...more }, asKey(secret));
  const { id } = (await (await ask(ada.token)).json()) as { id: string };
  const follow = async (secret: string) => (await ask(secret, { previous_response_id: id })).status;
  assert.equal(await follow(again.token), 200);
  for (const secret of [bob.token, nameless.token, account.apiKey]) assert.equal(await follow(secret), 400);
  const { id: own } = (await (await ask(nameless.token)).json()) as { id: string };
  assert.equal((await ask(nameless.token, { previous_response_id: own })).status, 200);
});
