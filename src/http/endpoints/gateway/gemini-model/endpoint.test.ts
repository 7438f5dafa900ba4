import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, GoogleGenAI, type Model } from '@google/genai';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const ANONYMOUS = { headers: { authorization: '' } };
const NAME = 'claude-sonnet-4-5';

const gateway = shareGateway();

const ask = (name: string, init: RequestInit = ANONYMOUS) => gateway.request(`/v1beta/models/${name}`, init);
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'gemini', row: 'none' });

async function get(name: string): Promise<Model> {
  const response = await ask(name);
  assert.equal(response.status, 200, name);
  return (await response.json()) as Model;
}

test('200: the official SDK finds a model, and its error names another', async () => {
  const { apiKey } = gateway.account;
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
  const model = await client.models.get({ model: NAME });
  assert.deepEqual([model.name, model.displayName], [`models/${NAME}`, 'Claude Sonnet 4.5']);
  assert.equal((await client.models.get({ model: `anthropic/${NAME}` })).name, `models/anthropic/${NAME}`);
  await assert.rejects(
    client.models.get({ model: 'claude-sonet-4-5' }),
    (error) => error instanceof ApiError && error.status === 404 && /claude-sonnet-4-5/.test(error.message),
  );
});

test('200: every model equals its entry in the list', async () => {
  const response = await gateway.request('/v1beta/models?pageSize=1000', ANONYMOUS);
  const { models } = (await response.json()) as { models: { name: string }[] };
  for (const model of models.filter((_model, at) => at % 20 === 0))
    assert.deepEqual(await get(model.name.slice('models/'.length)), model);
});

test('401: a bad key, in the query too', async () => {
  await refused(
    await ask(NAME, { headers: { authorization: '', 'x-goog-api-key': 'slc_unknown' } }),
    401,
    'invalid_credential',
  );
  await refused(await ask(`${NAME}?key=slc_unknown`), 401, 'invalid_credential');
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  await refused(
    await ask(NAME, { headers: { authorization: '', 'x-goog-api-key': secret } }),
    403,
    'wrong_credential',
  );
});

test('404: an unknown model, a deactivated one, and one that the rules of the key exclude', async () => {
  await refused(await ask('claude-sonet-4-5'), 404, 'model_not_found');
  await refused(await ask('claude-3-opus-20240229'), 404, 'model_deactivated');
  const { apiKey, projectId } = await gateway.createAccount();
  const rule = { layer: 'project', subjectId: projectId, type: 'deny-models', values: [NAME] } as const;
  await gateway.accounts.directory.addRule(rule);
  await refused(
    await ask(NAME, { headers: { authorization: '', 'x-goog-api-key': apiKey } }),
    404,
    'model_not_found',
  );
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const { apiKey } = await gateway.createAccount();
  const response = await gateway.withoutTable('api_key', () =>
    ask(NAME, { headers: { authorization: '', 'x-goog-api-key': apiKey } }),
  );
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  await refused(
    await ask(NAME, { headers: { authorization: '', 'x-goog-api-key': apiKey } }),
    503,
    'store_unavailable',
  );
});
