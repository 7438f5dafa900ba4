import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from '#accounts';
import type { JsonObject } from '#base';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { postHalf, postTooLarge } from '../../../../../test/support/raw-exchange.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { SLOWNESS_MS } from '../../../../../test/support/within.ts';

const PATH = '/v1/session_tokens';
const OPTIONS = { limit: '0.50' };

const gateway = shareGateway({ limits: { bodyMs: 1_500 } });

const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const mint = (body: unknown, headers: Record<string, string> = {}) => gateway.post(PATH, body, headers);
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'chat', row: 'none' });

async function createMemberKey(role: MemberRole): Promise<TestAccount> {
  const account = await gateway.createAccount();
  const { organizationId, projectId } = account;
  const { directory } = gateway.accounts;
  const { id: memberId } = await directory.addMember({ organizationId, name: role, role });
  const { secret, key } = await directory.createKey({ projectId, label: role, memberId });
  return { ...account, apiKey: secret, keyId: key.id };
}

test('200: a token with all requested options, not cacheable, whose secret is shown once', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  const body = { limit: '0.50', ttl_seconds: 120, models: ['chat-model', 'Claude-*'], user: 'u-17' };
  const response = await mint(body, asKey(apiKey));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  assert.equal(response.headers.get('access-control-allow-origin'), null);
  const created = (await response.json()) as Record<string, string>;
  const { id, token = '', created_at: createdAt = '', expires_at: expiresAt = '' } = created;
  assert.deepEqual(created, {
    id,
    object: 'session_token',
    token,
    limit: '0.5',
    models: ['chat-model', 'claude-*'],
    user: 'u-17',
    created_at: createdAt,
    expires_at: expiresAt,
  });
  assert.match(token, /^slcses_[0-9A-Za-z]{55}$/);
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.parse(createdAt) - 120_000) < SLOWNESS_MS);
  const [listed] = await gateway.accounts.directory.listSessionTokens({ keyId });
  assert.equal(listed?.id, id);
  assert.ok(!JSON.stringify([...gateway.logLines, { ...listed, limit: '', usage: '' }]).includes(token));
});

test('200: defaults to an hour, every model and no end user; a limit may be a number', async () => {
  for (const body of [
    { limit: 0.000001 },
    { limit: 1e-7 },
    { limit: 1, ttl_seconds: null, models: null, user: null },
  ]) {
    const created = (await (await mint(body)).json()) as Record<string, string | null>;
    assert.deepEqual([created['models'], created['user']], [null, null]);
    const lifeMs = Date.parse(created['expires_at'] ?? '') - Date.parse(created['created_at'] ?? '');
    assert.ok(Math.abs(lifeMs - 3_600_000) < SLOWNESS_MS);
  }
});

test('200: for keys of owners, of admins and without a member', async () => {
  for (const role of ['owner', 'admin'] as const) {
    const { apiKey } = await createMemberKey(role);
    assert.equal((await mint(OPTIONS, asKey(apiKey))).status, 200);
  }
});

test('400: an option that is missing, malformed, out of range or unknown, by its name', async () => {
  const cases: [JsonObject, string][] = [
    [{}, 'limit'],
    [{ limit: '0' }, 'limit'],
    [{ limit: -1 }, 'limit'],
    [{ limit: '1e3' }, 'limit'],
    [{ limit: 1e-30 }, 'limit'],
    [{ limit: true }, 'limit'],
    [{ budget: '0.50' }, 'budget: must be absent: it is called limit now'],
    [{ ...OPTIONS, ttl_seconds: 59 }, 'ttl_seconds'],
    [{ ...OPTIONS, ttl_seconds: 86_401 }, 'ttl_seconds'],
    [{ ...OPTIONS, ttl_seconds: '60' }, 'ttl_seconds'],
    [{ ...OPTIONS, models: 'gpt-5' }, 'models'],
    [{ ...OPTIONS, models: [] }, 'models'],
    [{ ...OPTIONS, models: [1] }, 'models'],
    [{ ...OPTIONS, models: ['a b'] }, 'models'],
    [{ ...OPTIONS, user: '' }, 'user'],
    [{ ...OPTIONS, user: 7 }, 'user'],
    [{ ...OPTIONS, ttl: 60 }, 'ttl'],
  ];
  for (const [body, param] of cases) {
    const response = await mint(body);
    assert.match(
      await refused(response, 400, 'invalid_request'),
      new RegExp(`^${param}${param.includes(':') ? '' : ': must be '}`),
    );
  }
});

test('401: no key, an unknown one, and one that is off', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  await gateway.accounts.directory.updateKey(keyId, { disabled: true });
  await refused(await mint(OPTIONS, { authorization: '' }), 401, 'missing_credential');
  for (const key of ['slc_unknown', apiKey])
    await refused(await mint(OPTIONS, asKey(key)), 401, 'invalid_credential');
});

test('403: a credential that is not a regular key, such as a session token', async () => {
  const { token } = (await (await mint(OPTIONS)).json()) as { token: string };
  const admin = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  for (const secret of [token, admin.secret, 'slcses_anything'])
    await refused(await mint(OPTIONS, asKey(secret)), 403, 'wrong_credential');
});

test('403: a key of a member whose role does not allow it', async () => {
  for (const role of ['member', 'viewer'] as const) {
    const { apiKey } = await createMemberKey(role);
    const message = await refused(await mint(OPTIONS, asKey(apiKey)), 403, 'role_not_allowed');
    assert.match(message, new RegExp(`role ${role}, who may not create session tokens.*owner or admin`));
  }
});

test('408: a body that does not arrive', async () => {
  await refused(await postHalf(gateway, PATH), 408, 'request_timeout');
});

test('413: a body of more than 32 MiB', async () => {
  await refused(await postTooLarge(gateway, PATH), 413, 'body_too_large');
});

test('415: no JSON, or compressed', async () => {
  await refused(await mint('budget=1', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
  await refused(await mint(OPTIONS, { 'content-encoding': 'gzip' }), 415, 'unsupported_encoding');
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  await gateway.request('/v1/key');
  const response = await gateway.withoutTable('session_token', () => mint(OPTIONS));
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
});

test('503: the database is unavailable', async () => {
  await gateway.request('/v1/key');
  gateway.line.cut();
  await refused(await mint(OPTIONS), 503, 'store_unavailable');
});
