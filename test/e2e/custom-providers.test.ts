import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { type ModelEntry, modelEntrySchema } from '#catalogue';
import type { TestAccount } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { followNotices } from '../support/notices.ts';
import { fail } from '../support/upstream-replies.ts';

const KEY = 'sk-canary-of-a-custom-provider';
const PRICE = { input: '3', output: '15' };

let owner: TestAccount;

const gateway = shareGateway({
  config: ({ baseUrl, port }) =>
    [
      `customProviders: { trustedHosts: ["127.0.0.1:${port}"] }`,
      'providers:',
      `  - { id: ours, format: chat, baseUrl: "${baseUrl}", apiKey: gateway-key, models: [`,
      '      { id: large, contextLength: 1000, maxOutput: 100, price: { input: "1", output: "1" } } ] }',
      '',
    ].join('\n'),
});
before(async () => {
  owner = await gateway.createAccount({ credits: 1n });
  for (const format of ['chat', 'messages', 'gemini']) await add(owner, `own-${format}`, format);
});

async function add({ organizationId }: TestAccount, name: string, format = 'chat'): Promise<void> {
  const { directory } = gateway.accounts;
  const { baseUrl } = gateway.upstream;
  await directory.addCustomProvider({ organizationId, name, format, baseUrl, apiKey: KEY }, gateway.terms);
  const model = {
    name: 'Large',
    externalId: 'upstream-large',
    contextLength: 200_000,
    maxOutput: 1_000,
    price: PRICE,
  };
  await directory.addCustomModel({ organizationId, provider: name, model }, gateway.terms);
}

const send = ({ apiKey }: TestAccount, path: string, body: object) =>
  gateway.post(path, body, { 'x-api-key': apiKey });
const ask = (account: TestAccount, model: string, more: object = {}) =>
  send(account, '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hello' }], ...more });

async function list({ apiKey }: TestAccount, query = ''): Promise<ModelEntry[]> {
  const response = await gateway.request(`/v1/models${query}`, { headers: { 'x-api-key': apiKey } });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: ModelEntry[] }).data;
}
const listOwn = async (account: TestAccount, query = ''): Promise<string[]> =>
  (await list(account, query)).map(({ id }) => id).filter((id) => id.includes('own-'));

const CREDENTIALS: Record<string, [string, string]> = {
  chat: ['authorization', `Bearer ${KEY}`],
  messages: ['x-api-key', KEY],
  gemini: ['x-goog-api-key', KEY],
};

for (const [format, [header, value]] of Object.entries(CREDENTIALS)) {
  test(`a custom provider that speaks ${format} answers every client format, at no charge`, async () => {
    const model = `own-${format}/Large`;
    const messages = [{ role: 'user', content: 'hello' }];
    const requests: [string, object][] = [
      ['/v1/chat/completions', { model, messages }],
      ['/v1/chat/completions', { model, messages, stream: true }],
      ['/v1/messages', { model, messages, max_tokens: 100 }],
      ['/v1/messages', { model, messages, max_tokens: 100, stream: true }],
      ['/v1/responses', { model, input: 'hello' }],
    ];
    for (const [path, body] of requests) {
      const response = await send(owner, path, body);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      assert.ok(text.includes(model));
      const row = await gateway.getRow(response);
      assert.equal(row.customer, '0');
      assert.ok(BigInt(row.provider) > 0n);
      assert.deepEqual(
        [row.modelId, row.providerId, row.externalId],
        [model, `own-${format}`, 'upstream-large'],
      );
      assert.equal(row.attempts[0]?.credential, 'own');
    }
    assert.equal(gateway.upstream.truths.length, requests.length);
    for (const truth of gateway.upstream.truths) {
      assert.equal(truth.format, format);
      assert.equal(truth.headers[header], value);
      assert.ok(`${truth.path}${truth.rawBody}`.includes('upstream-large'));
      assert.ok(!truth.path.includes('canary'));
    }
  });
}

test('names are case-insensitive, and an unknown one is refused with the closest of its own provider', async () => {
  assert.equal((await ask(owner, 'own-chat/large')).status, 200);
  assert.equal((await ask(owner, 'own-chat/upstream-large')).status, 200);
  const response = await ask(owner, 'own-chat/larg');
  assert.equal(response.status, 404);
  assert.match(await response.text(), /own-chat\/Large/);
  assert.equal(
    (await ask(owner, 'large')).status,
    402,
    'the catalogue’s own large, for which there is no money',
  );
});

test('to everybody else a custom model is a model that does not exist, to the last byte', async () => {
  const other = await gateway.createAccount();
  const rival = await gateway.createAccount();
  await add(rival, 'own-rival');
  for (const caller of [other, rival]) {
    for (const path of [
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/messages/count_tokens',
      '/v1/responses',
    ]) {
      const bodies = await Promise.all(
        ['own-chat/Large', 'own-chxt/Large'].map(async (model) => {
          const messages = [{ role: 'user', content: 'x' }];
          const body = { model, messages, input: 'x', max_tokens: 10 };
          const response = await send(caller, path, body);
          assert.equal(response.status, 404);
          const text = await response.text();
          return text.replaceAll(model, 'NAME').replace(/req_\w+/g, 'ID');
        }),
      );
      assert.equal(bodies[0], bodies[1], path);
    }
    assert.ok(!(await listOwn(caller)).some((id) => id.startsWith('own-chat')));
  }
  assert.equal(gateway.upstream.truths.length, 0);
});

test('GET /v1/models lists them only to their organization, with prices, also with mapped', async () => {
  const expected = ['own-chat/Large', 'own-messages/Large', 'own-gemini/Large'];
  assert.deepEqual(await listOwn(owner), expected);
  assert.deepEqual(await listOwn(owner, '?mapped=true'), expected);
  assert.deepEqual(await listOwn(owner, '?include_restricted=true'), []);
  assert.deepEqual(await listOwn(owner, '?no_training=true'), [], 'what is not known counts as training');
  assert.deepEqual(await listOwn(await gateway.createAccount()), []);
  const anonymous = await gateway.request('/v1/models', { headers: { authorization: '' } });
  assert.ok(!(await anonymous.text()).includes('own-chat'));
  const entry = (await list(owner)).find(({ id }) => id === 'own-chat/Large')!;
  assert.deepEqual([...Compile(modelEntrySchema).Errors(entry)], []);
  assert.deepEqual(
    [entry.context_length, entry.max_output, entry.pricing.prompt, entry.pricing.completion],
    [200_000, 1_000, '0.000003', '0.000015'],
  );
  assert.equal(entry.providers[0]?.externalId, 'upstream-large');
  for (const query of ['', '?mapped=true'])
    for (const { id } of (await list(owner, query)).filter((one) => one.id.includes('own-')))
      assert.equal((await ask(owner, id)).status, 200, id);
});

test('rules of all layers and the compliance policy bind custom models as they bind others', async () => {
  const { directory } = gateway.accounts;
  const layers = ['organization', 'project', 'key'] as const;
  const cases: [string, string[], (typeof layers)[number][]][] = [
    ['deny-models', ['own-chat/large'], [...layers]],
    ['allow-models', ['own-messages/*'], [...layers]],
    ['deny-providers', ['own-chat'], [...layers]],
    ['max-output-price', ['10'], [...layers]],
    ['free-only', [], ['key']],
    ['no-training', [], ['organization']],
    ['zero-retention', [], ['organization']],
    ['regions', ['eu'], ['organization']],
    ['approved-providers', ['ours'], ['organization']],
  ];
  for (const [type, values, onLayers] of cases) {
    for (const layer of onLayers) {
      const subjects = { organization: owner.organizationId, project: owner.projectId, key: owner.keyId };
      const { id } = await directory.addRule({ layer, subjectId: subjects[layer], type, values });
      const response = await ask(owner, 'own-chat/Large');
      assert.equal(response.status, 403, `${type} on ${layer}`);
      assert.match(await response.text(), new RegExp(type));
      assert.ok(!(await listOwn(owner)).includes('own-chat/Large'), `${type} on ${layer}`);
      await directory.removeRule(id);
    }
  }
  const { id } = await directory.addRule({
    layer: 'organization',
    subjectId: owner.organizationId,
    type: 'approved-providers',
    values: ['own-chat'],
  });
  assert.deepEqual(await listOwn(owner), ['own-chat/Large']);
  assert.equal((await ask(owner, 'own-chat/Large')).status, 200);
  await directory.removeRule(id);
});

test('a removal takes effect immediately, and upstream refusals are attributed to the organization’s provider', async () => {
  const account = await gateway.createAccount();
  const { organizationId } = account;
  await add(account, 'own-brief');
  gateway.upstream.script({ reply: fail(401, 'invalid_api_key', { message: `no such key: ${KEY}` }) });
  const refused = await ask(account, 'own-brief/Large');
  assert.equal(refused.status, 502);
  const text = await refused.text();
  assert.match(text, /the provider own-brief refused the organization’s own key/);
  assert.ok(!text.includes('canary'));
  const { directory } = gateway.accounts;
  const [model] = await directory.listCustomModels({ organizationId });
  assert.ok(model);
  await directory.removeCustomModel(model);
  assert.equal((await ask(account, 'own-brief/Large')).status, 404);
  const [provider] = await directory.listCustomProviders({ organizationId });
  assert.ok(provider);
  await directory.removeCustomProvider(provider);
  assert.equal((await ask(account, 'own-brief/Large')).status, 404);
  assert.ok(!('byok' in (await gateway.accounts.identify(account.apiKey))));
});

test('a request of an organization without BYOK makes no additional query', async () => {
  const account = await gateway.createAccount();
  // A late notice of the creation would have the account read again.
  await (
    await followNotices(gateway)
  )();
  await ask(account, 'large');
  const [caller, again] = [
    await gateway.accounts.identify(account.apiKey),
    await gateway.accounts.identify(account.apiKey),
  ];
  assert.equal(caller, again, 'the caller is the snapshot’s own');
  await ask(owner, 'own-chat/Large');
  const response = await gateway.withoutTable('custom_provider', () => ask(account, 'large'));
  assert.equal(response.status, 200);
  const own = await gateway.withoutTable('custom_provider', () => ask(owner, 'own-chat/Large'));
  assert.equal(own.status, 200, 'nor does one with a custom model');
});
