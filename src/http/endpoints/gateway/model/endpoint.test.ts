import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Compile } from 'typebox/compile';
import { type ModelEntry, modelEntrySchema } from '#catalogue';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const ANONYMOUS = { headers: { authorization: '' } };
const NAME = 'claude-sonnet-4-5';

const gateway = shareGateway();

const ask = (name: string, init: RequestInit = ANONYMOUS) => gateway.request(`/v1/models/${name}`, init);
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'chat', row: 'none' });

async function get(name: string, init?: RequestInit): Promise<ModelEntry> {
  const response = await ask(name, init);
  assert.equal(response.status, 200, name);
  return (await response.json()) as ModelEntry;
}

async function list(query = ''): Promise<ModelEntry[]> {
  const response = await gateway.request(`/v1/models${query}`, ANONYMOUS);
  return ((await response.json()) as { data: ModelEntry[] }).data;
}

test('200: every model and mapping equals its entry in the list', async () => {
  const checker = Compile(modelEntrySchema);
  for (const query of ['', '?mapped=true']) {
    for (const entry of (await list(query)).filter((_entry, at) => at % 20 === 0)) {
      const reported = await get(entry.id);
      assert.deepEqual(reported, entry);
      assert.ok(checker.Check(reported));
    }
  }
});

test('200: any of its names is understood, a slash in it as it is or encoded', async () => {
  const { id, aliases } = await get(NAME);
  assert.equal(id, NAME);
  for (const name of [...aliases, NAME.toUpperCase(), `${NAME}[1m]`, `${NAME}%20`])
    assert.equal((await get(name)).id, NAME);
  for (const name of [`anthropic/${NAME}`, `anthropic%2F${NAME}`, `anthropic/${NAME}/`]) {
    const { id: pinned, providers } = await get(name);
    assert.equal(pinned, `anthropic/${NAME}`);
    assert.deepEqual(
      providers.map(({ providerId }) => providerId),
      ['anthropic'],
    );
  }
});

test('200: the official SDKs find a model', async () => {
  const { apiKey } = gateway.account;
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  const { object, owned_by } = await openai.models.retrieve(NAME);
  assert.deepEqual([object, owned_by], ['model', 'claude']);
  assert.equal((await openai.models.retrieve(`anthropic/${NAME}`)).id, `anthropic/${NAME}`);
  const { id, display_name, type, lifecycle, max_input_tokens, max_tokens } =
    await anthropic.models.retrieve(NAME);
  assert.deepEqual([id, display_name, type], [NAME, 'Claude Sonnet 4.5', 'model']);
  assert.deepEqual([lifecycle, max_input_tokens, max_tokens], ['active', 200_000, 64_000]);
});

test('200: the public answer may be cached for a minute, the answer to a key may not', async () => {
  const headers = { authorization: `Bearer ${gateway.account.apiKey}` };
  for (const [init, control] of [
    [ANONYMOUS, 'public, max-age=60'],
    [{ headers }, 'private, no-store'],
  ] as const) {
    const response = await ask(NAME, init);
    assert.equal(response.headers.get('cache-control'), control);
    await response.arrayBuffer();
  }
});

test('200: a key gets only the mappings that its rules allow', async () => {
  const { apiKey, projectId } = await gateway.createAccount();
  const rule = {
    layer: 'project',
    subjectId: projectId,
    type: 'deny-providers',
    values: ['anthropic'],
  } as const;
  await gateway.accounts.directory.addRule(rule);
  const init = { headers: { 'x-api-key': apiKey } };
  const reported = (await get(NAME, init)).providers.map(({ providerId }) => providerId);
  const all = (await get(NAME)).providers.map(({ providerId }) => providerId);
  assert.deepEqual(
    reported,
    all.filter((providerId) => providerId !== 'anthropic'),
  );
  assert.ok(reported.length > 0 && reported.length < all.length);
  await refused(await ask(`anthropic/${NAME}`, init), 404, 'model_not_found');
});

test('401: a bad key does not get the public answer', async () => {
  const headers = { authorization: 'Bearer slc_unknown' };
  await refused(await ask(NAME, { headers }), 401, 'invalid_credential');
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  const headers = { authorization: `Bearer ${secret}` };
  await refused(await ask(NAME, { headers }), 403, 'wrong_credential');
});

test('404: an unknown model with the closest names, a deactivated one with its successor', async () => {
  const unknown = await refused(await ask('claude-sonet-4-5'), 404, 'model_not_found');
  assert.match(unknown, /did you mean claude-sonnet-4-5/);
  const gone = await refused(await ask('claude-3-opus-20240229'), 404, 'model_deactivated');
  assert.match(gone, /since 2026-01-05; use claude-opus-4-8 instead/);
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const { apiKey } = await gateway.createAccount();
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await gateway.withoutTable('api_key', () => ask(NAME, { headers }));
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  const response = await ask(NAME, { headers: { authorization: `Bearer ${apiKey}` } });
  await refused(response, 503, 'store_unavailable');
});
