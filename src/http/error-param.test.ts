import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { shareGateway } from '../../test/support/share-gateway.ts';

let admin: Record<string, string>;
const gateway = shareGateway();
before(async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'test' });
  admin = { authorization: `Bearer ${secret}` };
});

const USER = { role: 'user', content: 'hello' };
const CHAT = { model: 'chat-model', messages: [USER] };

/** The error of an answer, whose fields must all be strings. */
async function readError(response: Response): Promise<{ param: string; message: string; code: string }> {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  for (const name of ['message', 'type', 'param', 'code'])
    assert.equal(typeof error[name], 'string', `${name} of ${JSON.stringify(error)}`);
  return error as { param: string; message: string; code: string };
}

const paramOf = async (response: Response): Promise<string> => (await readError(response)).param;

test('the param of an error is the header, path part, query or body member at fault', async () => {
  const json = { 'content-type': 'application/json' };
  const send = (path: string, init: RequestInit = {}) => gateway.request(path, init);
  const chat = (body: JsonObject, headers = {}) => gateway.post('/v1/chat/completions', body, headers);
  const raw = (body: string, headers: Record<string, string> = json) =>
    send('/v1/chat/completions', { method: 'POST', body, headers });
  const poor = await gateway.createAccount({ limit: 1n });
  const cases: [string, Promise<Response>][] = [
    ['authorization', send('/v1/key', { headers: { authorization: '' } })],
    ['authorization', send('/v1/models', { headers: { 'x-api-key': 'slc_unknown', authorization: '' } })],
    ['authorization', send('/v1/key', { headers: admin })],
    ['authorization', chat(CHAT, { authorization: `Bearer ${poor.apiKey}` })],
    ['model', chat({ messages: [USER] })],
    ['model', chat({ ...CHAT, model: 'no-such-model' })],
    ['model', chat({ ...CHAT, model: 'unpriced-model' })],
    ['messages', chat({ model: 'chat-model', messages: [] })],
    ['messages[0].content', chat({ ...CHAT, messages: [{ role: 'user', content: null }] })],
    [
      'messages[1].content[0].type',
      chat({ ...CHAT, messages: [USER, { ...USER, content: [{ type: 'x' }] }] }),
    ],
    ['input[1].role', gateway.post('/v1/responses', { model: 'chat-model', input: [USER, { role: 'x' }] })],
    [
      'tools[0].name',
      gateway.post('/v1/responses', { model: 'm', input: 'x', tools: [{ type: 'function' }] }),
    ],
    ['input[1]', gateway.post('/v1/embeddings', { model: 'openai-embedding', input: ['a', 7] })],
    ['body', raw('{"model":')],
    ['body', raw('[]')],
    ['content-type', raw('{}', { 'content-type': 'text/plain' })],
    ['content-encoding', raw('{}', { ...json, 'content-encoding': 'gzip' })],
    ['limit', send('/v1/videos?limit=0')],
    ['order', send('/v1/videos?order=up')],
    ['id', send('/v1/videos/video_unknown')],
    ['token', send('/v1/videos/logs/req_x/content?token=x', { headers: { authorization: '' } })],
    ['log_id', send('/v1/videos/logs/req_x/content')],
    ['id', send('/v1/responses/resp_unknown')],
    [
      'previous_response_id',
      gateway.post('/v1/responses', { ...CHAT, input: 'x', previous_response_id: 'x' }),
    ],
    ['path', send('/v1/nothing')],
    ['path', send('/v1/key', { method: 'DELETE' })],
  ];
  for (const [at, [param, response]] of cases.entries())
    assert.equal(await paramOf(await response), param, `case ${at}`);
});

test('an error that nothing in the request caused has an empty param', async () => {
  const response = await gateway.withoutTable('api_key', async () => gateway.request('/v1/key'));
  assert.equal(await paramOf(response), '');
});

test('members of an administrator’s request are named as they were sent', async () => {
  const post = (path: string, body: JsonObject, more = {}) =>
    gateway.post(`/admin/v1${path}`, body, { ...admin, ...more });
  const names = ['a/b', '~0', 'with space', 'a.b', 'ümlaut 名前', '"', '0', 'x'.repeat(150)];
  for (const name of names) {
    const error = await readError(await post('/organizations', { name: 'Acme', [name]: 1 }));
    assert.equal(error.param, name);
    assert.ok(error.message.startsWith(`${name}: is not known here`), error.message);
  }
  const { projectId, keyId, organizationId } = gateway.account;
  const nested = { project_id: projectId, label: 'x', rate_limits: { 'a/b': 1 } };
  const cases: [string, Promise<Response>][] = [
    ['rate_limits.a/b', post('/keys', nested)],
    ['values[1]', post('/rules', { layer: 'key', subject_id: keyId, type: 'deny-models', values: ['a', 1] })],
    ['project_id', post('/keys', { project_id: 'prj_unknown', label: 'x' })],
    ['organization_id', post('/projects', { organization_id: 'org_unknown', name: 'x' })],
    ['subject_id', post('/rules', { layer: 'key', subject_id: 'key_x', type: 'deny-models', values: ['a'] })],
    ['id', post('/keys/key_unknown', { disabled: true })],
    ['expires_at', post(`/keys/${keyId}`, { expires_at: '2001-01-01T00:00:00Z' })],
    [
      'base_url',
      post('/custom_providers', {
        organization_id: organizationId,
        name: 'acme',
        format: 'chat',
        base_url: 'http://10.0.0.1/v1',
        api_key: 'a-key-of-the-provider',
      }),
    ],
    ['idempotency-key', post('/organizations', { name: 'x' }, { 'idempotency-key': 'ä'.repeat(300) })],
    ['limit', gateway.request('/admin/v1/keys?limit=0', { headers: admin })],
    ['surplus', gateway.request('/admin/v1/keys?surplus=1', { headers: admin })],
  ];
  for (const [at, [param, response]] of cases.entries())
    assert.equal(await paramOf(await response), param, `case ${at}`);
});
