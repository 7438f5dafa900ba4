import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { createProviderConfig } from '../support/gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { answer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { shareGateway } from '../support/share-gateway.ts';

const ASK = { model: 'mock-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };

let upstream: MockUpstream;

const gateway = shareGateway({ config: ({ baseUrl }) => createProviderConfig(baseUrl, {}) });
before(() => {
  ({ upstream } = gateway);
  upstream.script({ reply: answer({ text: 'hello' }) });
});

const run = (...words: string[]): Promise<JsonObject> => gateway.run(...words);

async function runWrong(...words: string[]): Promise<string> {
  const { code, stderr } = await gateway.cli(...words);
  assert.notEqual(code, 0);
  return stderr;
}

const call = async (credential: unknown): Promise<number> =>
  (await gateway.post('/v1/messages', ASK, { authorization: `Bearer ${String(credential)}` })).status;

/** A change made by a command reaches the gateway by a notification. */
const becomes = (credential: unknown, wanted: number): Promise<void> =>
  until(`the status ${wanted}`, async () => (await call(credential)) === wanted);

test('keys: rotate with a grace and without, expire, delete, while the gateway runs', async () => {
  const { id, apiKey } = await gateway.createKey('--label', 'rotated', '--expires', '30d');
  assert.equal(await call(apiKey), 200);
  const first = await run('keys', 'rotate', id);
  assert.equal(first['id'], id);
  assert.equal(typeof first['previous_secret_expires_at'], 'string');
  await becomes(first['secret'], 200);
  assert.equal(await call(apiKey), 200);
  const second = await run('keys', 'rotate', id, '--now');
  assert.equal(second['previous_secret_expires_at'], null);
  for (const secret of [apiKey, first['secret']]) await becomes(secret, 401);
  assert.equal(await call(second['secret']), 200);
  await run('keys', 'expire', id, '5s');
  await becomes(second['secret'], 401);
  await run('keys', 'expire', id, 'none');
  await becomes(second['secret'], 200);
  await run('keys', 'delete', id);
  await becomes(second['secret'], 401);
  assert.match(await runWrong('keys', 'delete', id), /there is no such key/);
  assert.match(await runWrong('keys', 'rotate', id, '--grace', 'soon'), /such as 24h/);
});

test('members: add, list, role, limits, remove, while the gateway runs', async () => {
  const member = await run('members', 'add', 'Ada', '--email', 'ada@example.com', '--limit', '5');
  const id = member['id'] as string;
  const { id: keyId, apiKey } = await gateway.createKey('--member', id);
  assert.equal(await call(apiKey), 200);
  await run('members', 'recurring', id, '0.000000001/day');
  const limited = await run('members', 'limit', id, '100');
  const daily = { amount: '0.000000001', period: 'day' };
  assert.deepEqual([limited['limit'], limited['recurring_limit']], ['100', daily], 'each keeps the other');
  assert.equal(await call(apiKey), 402);
  await run('members', 'recurring', id, 'none');
  assert.equal(await call(apiKey), 200);
  await run('members', 'role', id, 'viewer');
  await becomes(apiKey, 403);
  const listed = (await run('members', 'list'))['data'] as JsonObject[];
  assert.deepEqual([listed[0]?.['id'], listed[0]?.['role'], listed[0]?.['keys']], [id, 'viewer', 1]);
  assert.notEqual(listed[0]?.['usage'], '0');
  assert.deepEqual((await run('members', 'remove', id))['disabled_key_ids'], [keyId]);
  await becomes(apiKey, 401);
  assert.match(await runWrong('keys', 'enable', keyId), /was removed/);
  assert.match(
    await runWrong('members', 'budget', id, '1', '2'),
    /is replaced by `members limit` and `members recurring`/,
  );
});

test('sessions: create, list, revoke, while the gateway runs', async () => {
  const { id: keyId } = await gateway.createKey('--label', 'app');
  const created = await run(
    'session-tokens',
    'create',
    '--key',
    keyId,
    '--limit',
    '0.5',
    '--ttl',
    '15m',
    '--user',
    'u-17',
  );
  const { id, secret: token } = created;
  assert.equal(await call(token), 200);
  const { data } = (await run('session-tokens', 'list', '--key', keyId)) as { data: JsonObject[] };
  assert.deepEqual(
    [data.length, data[0]?.['id'], data[0]?.['user'], data[0]?.['limit']],
    [1, id, 'u-17', '0.5'],
  );
  assert.notEqual(data[0]?.['usage'], '0');
  await run('session-tokens', 'revoke', id as string);
  await becomes(token, 401);
  assert.deepEqual((await run('session-tokens', 'list', '--key', keyId))['data'], []);
  assert.match(
    await runWrong('session-tokens', 'create', '--key', keyId, '--limit', '1', '--ttl', '2d'),
    /from 1m to 24h/,
  );
});

test('the books agree, and no secret is in the log', async () => {
  assert.equal((await run('ledger', 'check'))['ok'], true);
  assert.doesNotMatch(gateway.logLines.join('\n'), /slc(ses)?_[0-9A-Za-z]{20}/);
});
