import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const ANONYMOUS = { headers: { authorization: '' } };

const gateway = shareGateway();

interface Page {
  models: { name: string; supportedGenerationMethods: string[] }[];
  nextPageToken?: string;
}

const ask = (query = '', init: RequestInit = ANONYMOUS) => gateway.request(`/v1beta/models${query}`, init);
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'gemini', row: 'none' });

async function read(query = '', init?: RequestInit): Promise<Page> {
  const response = await ask(query, init);
  assert.equal(response.status, 200);
  return (await response.json()) as Page;
}

/** The names that `GET /v1/models` lists, as Google writes them. */
async function listNames(init: RequestInit = ANONYMOUS): Promise<string[]> {
  const response = await gateway.request('/v1/models', init);
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => `models/${id}`);
}

test('200: the official SDK lists every model, page after page', async () => {
  const { apiKey } = gateway.account;
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
  const names: (string | undefined)[] = [];
  for await (const { name } of await client.models.list({ config: { pageSize: 30 } })) names.push(name);
  assert.deepEqual(names, await listNames());
  const all = await client.models.list({ config: { pageSize: 1000 } });
  const known = all.page.find(({ name }) => name === 'models/claude-sonnet-4-5');
  assert.equal(known?.displayName, 'Claude Sonnet 4.5');
  assert.equal(known.inputTokenLimit, 200_000);
  assert.equal(known.outputTokenLimit, 64_000);
  assert.deepEqual(known.supportedActions, ['generateContent', 'countTokens']);
  assert.equal(known.thinking, true);
});

test('200: 50 models a page, at most 1000, whatever size is asked for', async () => {
  for (const [query, size] of [
    ['', 50],
    ['?pageSize=0', 50],
    ['?pageSize=', 50],
    ['?pageSize=7', 7],
  ] as const)
    assert.equal((await read(query)).models.length, size, query);
  const { models, nextPageToken } = await read('?pageSize=999999');
  assert.deepEqual([models.length, nextPageToken], [(await listNames()).length, undefined]);
});

test('200: models that do not generate text have no methods', async () => {
  const { models } = await read('?pageSize=1000');
  const methodsOf = (id: string) => models.find(({ name }) => name === `models/${id}`);
  assert.deepEqual(methodsOf('text-embedding-3-small')?.supportedGenerationMethods, []);
});

test('200: a key sees what its rules allow, also if it is in the query', async () => {
  const { apiKey, projectId } = await gateway.createAccount();
  const rule = {
    layer: 'project',
    subjectId: projectId,
    type: 'allow-models',
    values: ['claude-*'],
  } as const;
  await gateway.accounts.directory.addRule(rule);
  const expected = await listNames({ headers: { 'x-api-key': apiKey } });
  assert.ok(expected.length > 5 && expected.every((name) => name.startsWith('models/claude-')));
  const namesOf = ({ models }: Page) => models.map(({ name }) => name);
  assert.deepEqual(
    namesOf(await read('?pageSize=1000', { headers: { authorization: '', 'x-goog-api-key': apiKey } })),
    expected,
  );
  assert.deepEqual(namesOf(await read(`?pageSize=1000&key=${apiKey}`)), expected);
});

test('400: a size that is no number, a token of another list', async () => {
  for (const size of ['-1', 'many', '1.5'])
    assert.match(await refused(await ask(`?pageSize=${size}`), 400, 'invalid_request'), /^pageSize: must be/);
  assert.match(await refused(await ask('?pageToken=x'), 400, 'invalid_request'), /^pageToken: must be/);
});

test('401: a bad key does not get the public answer, in the query neither', async () => {
  const headers = { authorization: '', 'x-goog-api-key': 'slc_unknown' };
  await refused(await ask('', { headers }), 401, 'invalid_credential');
  await refused(await ask('?key=slc_unknown'), 401, 'invalid_credential');
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  await refused(
    await ask('', { headers: { authorization: '', 'x-goog-api-key': secret } }),
    403,
    'wrong_credential',
  );
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const { apiKey } = await gateway.createAccount();
  const response = await gateway.withoutTable('api_key', () =>
    ask('', { headers: { authorization: '', 'x-goog-api-key': apiKey } }),
  );
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  await refused(
    await ask('', { headers: { authorization: '', 'x-goog-api-key': apiKey } }),
    503,
    'store_unavailable',
  );
});
