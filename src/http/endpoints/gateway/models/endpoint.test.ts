import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Compile } from 'typebox/compile';
import { type Mapping, type ModelEntry, isActive, modelEntrySchema } from '#catalogue';
import { measureProcessorMs } from '../../../../../test/support/processor-time.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const MODELS = 1_000;
const LIMIT_MS = 100;
const ANONYMOUS = { headers: { authorization: '' } };
const FLAGS = ['include_restricted', 'include_deactivated', 'exclude_deprecated', 'no_training', 'mapped'];

const VARY = 'authorization, x-api-key, x-goog-api-key, api-key, x-litellm-api-key, origin';
const gateway = shareGateway({ config: createLargeConfig() });

/** A thousand models of the operator's own, besides the catalogue's. */
function createLargeConfig(): string {
  const models = Array.from(
    { length: MODELS },
    (_, at) => `      - { id: own-${at}, contextLength: 1000, price: { input: "1", output: "${at + 1}" } }`,
  );
  const provider = ['  - id: own', '    format: chat', '    baseUrl: http://127.0.0.1:9/v1', '    models:'];
  return ['providers:', ...provider, ...models, ''].join('\n');
}

interface Listing {
  object: string;
  data: ModelEntry[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

async function list(query = '', init: RequestInit = ANONYMOUS): Promise<Listing> {
  const response = await gateway.request(`/v1/models${query}`, init);
  assert.equal(response.status, 200);
  return (await response.json()) as Listing;
}

const idsOf = ({ data }: Listing) => data.map(({ id }) => id);

/** The ids of the models with a mapping that meets the condition; `provider/model` for each such mapping. */
function expectIds(condition: (mapping: Mapping) => boolean, mapped = false): string[] {
  return [...gateway.catalogue.models.values()].flatMap(({ id, mappings }) => {
    const shown = mappings.filter(condition);
    if (mapped)
      return shown.map(({ providerId, region, externalId }) => `${providerId}/${region ? externalId : id}`);
    return shown.length > 0 ? [id] : [];
  });
}

const isNow = (mapping: Mapping) => isActive(mapping, gateway.clock.now());
const refused = (response: Response, status: number, code: Promised['code']) =>
  assertRefused(gateway, response, { status, code, format: 'chat', row: 'none' });

test('200: without a key the public catalogue, cacheable for a minute', async () => {
  const response = await gateway.request('/v1/models', ANONYMOUS);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=60');
  assert.match(response.headers.get('etag') ?? '', /^"[\w-]{20,}"$/);
  assert.equal(response.headers.get('vary'), VARY);
  const { object, data, has_more, first_id, last_id } = (await response.json()) as Listing;
  assert.equal(object, 'list');
  assert.equal(has_more, false);
  assert.equal(first_id, data[0]?.id);
  assert.equal(last_id, data.at(-1)?.id);
  assert.deepEqual(idsOf({ data } as Listing), expectIds(isNow));
});

test('200: every entry, mapped or not, matches the schema', async () => {
  const checker = Compile(modelEntrySchema);
  for (const query of ['', '?mapped=true&include_deactivated=true']) {
    for (const entry of (await list(query)).data)
      assert.deepEqual([...checker.Errors(entry)], [], `${query} ${entry.id}`);
  }
});

test('200: with a key the same models, not cacheable', async () => {
  const { apiKey } = gateway.account;
  for (const headers of [{ authorization: `Bearer ${apiKey}` }, { 'x-api-key': apiKey }]) {
    const response = await gateway.request('/v1/models', { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('etag'), null);
    assert.deepEqual(idsOf((await response.json()) as Listing), expectIds(isNow));
  }
});

test('200: include_deactivated shows deactivated models with their date', async () => {
  const { data } = await list('?include_deactivated=true');
  assert.deepEqual(
    data.map(({ id }) => id),
    expectIds(() => true),
  );
  const active = new Set(expectIds(isNow));
  const gone = data.filter(({ id }) => !active.has(id));
  assert.ok(gone.length > 0);
  for (const { deactivated_at = '' } of gone) assert.match(deactivated_at, /^20\d\d-\d\d-\d\dT/);
});

test('200: exclude_deprecated omits deprecated mappings', async () => {
  const now = gateway.clock.now();
  const isDeprecated = ({ stability, deprecatedAt = Infinity }: Mapping) =>
    stability === 'deprecated' || deprecatedAt <= now;
  const expected = expectIds((mapping) => isNow(mapping) && !isDeprecated(mapping));
  assert.deepEqual(idsOf(await list('?exclude_deprecated=true')), expected);
  assert.ok(expected.length < expectIds(isNow).length);
});

test('200: no_training keeps only providers known not to train, among mappings too', async () => {
  const isSafe = (providerId: string) => gateway.catalogue.providers.get(providerId)?.trainsOnData === false;
  const expected = expectIds((mapping) => isNow(mapping) && isSafe(mapping.providerId));
  const { data } = await list('?no_training=true');
  assert.deepEqual(
    data.map(({ id }) => id),
    expected,
  );
  assert.ok(expected.length > 0 && expected.length < expectIds(isNow).length);
  for (const { providers } of data) assert.ok(providers.every(({ providerId }) => isSafe(providerId)));
});

test('200: mapped lists one entry per mapping, by its pinned name', async () => {
  const { data } = await list('?mapped=true');
  assert.deepEqual(
    data.map(({ id }) => id),
    expectIds(isNow, true),
  );
  for (const { id, providers } of data) {
    assert.equal(providers.length, 1);
    assert.ok(id.startsWith(`${providers[0]?.providerId}/`));
  }
  const own = data.find(({ id }) => id === 'own/own-7');
  assert.equal(own?.pricing.completion, '0.000008');
  assert.equal(own.context_length, 1000);
});

test('200: flags work together', async () => {
  const flags = '?mapped=true&no_training=true&exclude_deprecated=true&include_restricted=true';
  const [together, noTraining] = [await list(flags), await list('?mapped=true&no_training=true')];
  const ids = new Set(idsOf(noTraining));
  assert.ok(idsOf(together).length > 0);
  assert.ok(idsOf(together).every((id) => ids.has(id)));
});

test('200: only the exact value “true” sets a flag', async () => {
  const tagOf = async (query = '') =>
    (await gateway.request(`/v1/models${query}`, { ...ANONYMOUS, method: 'HEAD' })).headers.get('etag');
  const plain = await tagOf();
  for (const flag of FLAGS) {
    for (const value of ['', 'TRUE', 'True', '1', 'yes', 'on', ' true', 'true ', 'false', 'true,true'])
      assert.equal(await tagOf(`?${flag}=${encodeURIComponent(value)}`), plain, `${flag}=${value}`);
    assert.equal(await tagOf(`?${flag.toUpperCase()}=true`), plain);
    if (flag !== 'include_restricted') assert.notEqual(await tagOf(`?${flag}=true`), plain, flag);
  }
  assert.equal(await tagOf('?nonsense=true&limit=1'), plain);
});

test('200: a thousand models within 100 ms of processor time, the first time too', async () => {
  assert.ok(expectIds(isNow).length >= MODELS);
  const combinations = Array.from({ length: 2 ** FLAGS.length }, (_, bits) =>
    FLAGS.filter((_flag, at) => bits & (1 << at)).map((flag) => `${flag}=true`),
  );
  gateway.clock.advance(60_000); // none of them is cached
  const tookMs: number[] = [];
  for (const flags of combinations) {
    const ask = () => gateway.request(`/v1/models?${flags.join('&')}`, ANONYMOUS);
    tookMs.push(await measureProcessorMs(async () => (await ask()).arrayBuffer()));
  }
  // Also the quickest is not cached; how much slower others are depends on the machine.
  assert.ok(Math.min(...tookMs) < LIMIT_MS, `${Math.round(Math.min(...tookMs))} ms at least`);
});

test('200: the official SDKs list every model with the members that they declare', async () => {
  const { apiKey } = gateway.account;
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });
  const expected = expectIds(isNow);
  const ids: string[] = [];
  for await (const model of openai.models.list()) {
    assert.deepEqual([model.object, typeof model.owned_by], ['model', 'string'], model.id);
    ids.push(model.id);
  }
  assert.deepEqual(ids, expected);
  const named: string[] = [];
  for await (const model of anthropic.models.list({ limit: 20 })) {
    assert.notEqual(model.lifecycle, 'retired');
    assert.ok(model.max_input_tokens !== 0 && model.max_tokens !== 0 && 'retires_at' in model);
    named.push(model.id);
  }
  assert.deepEqual(named, expected);
});

test('200: the catalogue is listed while the database is unavailable', async () => {
  gateway.line.cut();
  assert.deepEqual(idsOf(await list()), expectIds(isNow));
});

test('304: the client’s ETag matches, in every form that proxies give it', async () => {
  const first = await gateway.request('/v1/models', ANONYMOUS);
  const etag = first.headers.get('etag') ?? '';
  await first.arrayBuffer();
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const headers = { authorization: '', 'if-none-match': known };
    const response = await gateway.request('/v1/models', { headers });
    assert.equal(response.status, 304, known);
    assert.equal(response.headers.get('etag'), etag);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=60');
    assert.equal(response.headers.get('vary'), VARY);
    assert.equal(response.headers.get('content-length'), null);
    assert.equal(await response.text(), '');
  }
});

test('304: never for another tag, other flags, or a caller with a key', async () => {
  const first = await gateway.request('/v1/models', ANONYMOUS);
  const etag = first.headers.get('etag') ?? '';
  await first.arrayBuffer();
  const requests: [string, Record<string, string>][] = [
    ['/v1/models', { authorization: '', 'if-none-match': '"other"' }],
    ['/v1/models?mapped=true', { authorization: '', 'if-none-match': etag }],
    ['/v1/models', { 'if-none-match': etag }],
  ];
  for (const [path, headers] of requests) {
    const response = await gateway.request(path, { headers });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
});

test('401: a bad key does not get the public answer', async () => {
  for (const headers of [
    { authorization: 'Bearer slc_unknown' },
    { authorization: 'Bearer' },
    { authorization: 'Basic abc' },
    { 'x-api-key': 'sk-other' },
  ])
    await refused(await gateway.request('/v1/models', { headers }), 401, 'invalid_credential');
  const headers = { authorization: `Bearer ${gateway.account.apiKey}`, 'x-api-key': 'slc_other' };
  await refused(await gateway.request('/v1/models', { headers }), 401, 'conflicting_credentials');
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  const headers = { authorization: `Bearer ${secret}` };
  await refused(await gateway.request('/v1/models', { headers }), 403, 'wrong_credential');
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const { apiKey } = await gateway.createAccount();
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await gateway.withoutTable('api_key', () => gateway.request('/v1/models', { headers }));
  assert.equal(await refused(response, 500, 'internal_error'), 'internal error');
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  const response = await gateway.request('/v1/models', { headers: { authorization: `Bearer ${apiKey}` } });
  assert.equal(response.headers.get('retry-after'), '2');
  await refused(response, 503, 'store_unavailable');
});
