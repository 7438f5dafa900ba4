import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createPlanCatalogue } from '#accounts';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { createRow } from '../support/fresh-accounts.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { LEAST, createFormatProviders } from '../support/format-providers.ts';
import { type InProcessGateway, type TestAccount, openInProcess } from '../support/in-process.ts';
import { assertRefused } from '../support/refusal.ts';

let gateway: InProcessGateway;
const opened = new AsyncDisposableStack();
before(async () => {
  const upstream = opened.use(await startMockUpstream());
  const config = `${createFormatProviders(upstream)}plans:\n  premiumFrom: { output: "20" }\n`;
  const inProcess = opened.use(await openInProcess({ config }));
  gateway = { ...inProcess, upstream };
});
after(() => opened.disposeAsync());
afterEach(() => gateway.upstream.clear());

type Rule = [layer: 'organization' | 'project' | 'key', type: string, ...values: string[]];

async function createAccount(...rules: Rule[]): Promise<TestAccount> {
  const account = await gateway.createAccount();
  const subjects = { organization: account.organizationId, project: account.projectId, key: account.keyId };
  for (const [layer, type, ...values] of rules)
    await gateway.accounts.directory.addRule({ layer, subjectId: subjects[layer], type, values });
  return account;
}

const ask = (format: ClientFormatId, fields: JsonObject, { apiKey }: TestAccount): Promise<Response> =>
  gateway.post(LEAST[format].path, { ...LEAST[format].body, ...fields }, { 'x-api-key': apiKey });

const advisor = (model: string): JsonObject => ({
  tools: [{ type: 'advisor_20260301', name: 'advisor', model }],
});
const said = (content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });

/** How each format names another model, and where. */
const WAYS: [format: ClientFormatId, path: string, name: (model: string) => JsonObject][] = [
  ['messages', 'fallbacks.0.model', (model) => ({ fallbacks: [{ model }] })],
  ['messages', 'tools.0.model', advisor],
  [
    'messages',
    'messages.0.content.1.tool.definition.model',
    (model) =>
      said([
        { type: 'text', text: 'Hello.' },
        {
          type: 'tool_addition',
          tool: { type: 'tool_definition', definition: { type: 'advisor_20260301', model } },
        },
      ]),
  ],
  ['chat', 'moderation.model', (model) => ({ moderation: { model } })],
  ['responses', 'moderation.model', (model) => ({ moderation: { model } })],
  ['responses', 'tools[0].model', (model) => ({ tools: [{ type: 'image_generation', model }] })],
  [
    'responses',
    'input[0].tools[0].model',
    (model) => ({ input: [{ type: 'additional_tools', tools: [{ type: 'image_generation', model }] }] }),
  ],
];

/** Rules of every kind that an expensive model breaks and a cheap one does not. */
const RULES: Rule[] = [
  ['organization', 'allow-models', '*-small'],
  ['project', 'deny-models', '*-large'],
  ['key', 'max-output-price', '10'],
];

for (const [format, path, name] of WAYS) {
  for (const [layer, type, ...values] of RULES) {
    test(`403: a ${format} request may not reach by ${path} what ${type} of the ${layer} does not allow`, async () => {
      const account = await createAccount([layer, type, ...values]);
      for (const model of [`${format}-large`, `${format}-large-2026`]) {
        const response = await ask(format, name(model), account);
        const message = await assertRefused(gateway, response, {
          format,
          status: 403,
          code: 'model_not_allowed',
        });
        for (const word of [model, path, layer, type]) assert.ok(message.includes(word), message);
      }
      assert.equal(gateway.upstream.truths.length, 0);
    });
  }

  test(`403: a ${format} request may not reach by ${path} a model that no rule can judge`, async () => {
    const account = await createAccount(['project', 'deny-models', 'unheard-of']);
    const response = await ask(format, name('never-heard-of'), account);
    const message = await assertRefused(gateway, response, {
      format,
      status: 403,
      code: 'model_not_allowed',
    });
    for (const word of ['never-heard-of', path, 'project', 'deny-models'])
      assert.ok(message.includes(word), message);
  });
}

test('403: fallbacks of the provider’s choice are models that no rule can judge', async () => {
  const account = await createAccount(['key', 'max-input-price', '3']);
  const response = await ask('messages', { fallbacks: 'default' }, account);
  const message = await assertRefused(gateway, response, {
    format: 'messages',
    status: 403,
    code: 'model_not_allowed',
  });
  assert.match(message, /"default" in fallbacks/);
});

test('403: an advisor model that the session token does not list', async () => {
  const minted = await gateway.post('/v1/session_tokens', { limit: '1', models: ['messages-small'] });
  const { token } = (await minted.json()) as { token: string };
  const holder = { ...gateway.account, apiKey: token };
  assert.equal((await ask('messages', advisor('messages-small'), holder)).status, 200);
  for (const [model, words] of [
    ['messages-large', /session token \(allow-models\) does not allow/],
    ['never-heard-of', /rule of the session token \(allow-models\) cannot be evaluated/],
  ] as const) {
    const response = await ask('messages', advisor(model), holder);
    const message = await assertRefused(gateway, response, {
      format: 'messages',
      status: 403,
      code: 'model_not_allowed',
    });
    assert.match(message, words);
  }
});

test('403: tokens are not counted for a model that rules do not allow', async () => {
  const account = await createAccount(['key', 'deny-models', '*-large']);
  const response = await gateway.post(
    '/v1/messages/count_tokens',
    { ...LEAST.messages.body, ...advisor('messages-large') },
    { 'x-api-key': account.apiKey },
  );
  assert.equal(response.status, 403);
});

test('200: another model is sent on if all rules allow it, or if rules only name providers', async () => {
  const allowed = await createAccount(...RULES);
  const byProvider = await createAccount(['organization', 'allow-providers', 'mock-messages']);
  const first = await ask('messages', { fallbacks: [{ model: 'messages-small-2026' }] }, allowed);
  assert.equal(first.status, 200);
  const second = await ask('messages', advisor('messages-large'), byProvider);
  assert.equal(second.status, 200);
  const bodies = gateway.upstream.truths.map(({ rawBody }) => JSON.parse(rawBody) as JsonObject);
  assert.deepEqual(bodies[0]?.['fallbacks'], [{ model: 'messages-small-2026' }]);
  assert.deepEqual(bodies[1]?.['tools'], advisor('messages-large')['tools']);
});

test('200: a model in a member that the mapping’s format does not have is dropped and not checked', async () => {
  const account = await createAccount(...RULES);
  const response = await ask('messages', { model: 'chat-small', ...advisor('messages-large') }, account);
  assert.equal(response.status, 200, await response.text());
});

test('400: a model without a known price is refused wherever it is named, even without rules', async () => {
  for (const [format, path, name] of WAYS.filter(([client]) => client === 'messages')) {
    const response = await ask(format, name('never-heard-of'), gateway.account);
    const message = await assertRefused(gateway, response, { format, status: 400, code: 'unpriced_option' });
    assert.ok(message.includes(path), message);
  }
});

test('402: an advisor that is premium is refused once the premium allowance of the plan is used', async () => {
  const account = await gateway.createAccount();
  const { organizationId, apiKey } = account;
  const terms = createPlanCatalogue().lite;
  const { directory, ledger, identify } = gateway.accounts;
  await directory.setPlan({ organizationId, plan: 'lite', terms });
  const caller = await identify(apiKey);
  const row = createRow(caller, 'req_used');
  const amount = terms.premiumWeekly;
  await ledger.reserve({ requestId: 'req_used', caller, amount, premium: true, row });
  await ledger.settle({ requestId: 'req_used', customer: amount, provider: 0n, estimated: false, row });

  assert.equal((await ask('messages', advisor('messages-small'), account)).status, 200);
  const refused = await ask('messages', advisor('messages-large'), account);
  await assertRefused(gateway, refused, {
    format: 'messages',
    status: 402,
    code: 'premium_allowance_exhausted',
  });
});
