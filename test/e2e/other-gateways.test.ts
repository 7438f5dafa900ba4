import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI, BadRequestError } from 'openai';
import { shareGateway } from '../support/share-gateway.ts';
import { answer } from '../support/upstream-replies.ts';

// What clients of OpenRouter, LiteLLM, Azure and Portkey send that OpenAI does not know, through the official SDKs.

const gateway = shareGateway({
  config: ({ baseUrl }) =>
    [
      'providers:',
      ...[
        ['talker', 'chat'],
        ['writer', 'messages'],
      ].flatMap(([id, format]) => [
        `  - { id: ${id}, format: ${format}, baseUrl: "${baseUrl}", apiKey: k, models: [`,
        `      { id: ${format}-model, reasoning: true, contextLength: 100000, maxOutput: 4000, price: { input: 1, output: 2 } },`,
        `      { id: ${format}-spare, contextLength: 100000, maxOutput: 4000, price: { input: 1, output: 2 } } ] }`,
      ]),
      '',
    ].join('\n'),
});

const HELLO = [{ role: 'user' as const, content: 'hello' }];

const createClient = (more: object = {}) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0, ...more });

/** Sends a completion with members that the SDK does not know; what the provider got. */
async function send(more: object, client: OpenAI = createClient()): Promise<Record<string, unknown>> {
  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer() });
  await client.chat.completions.create({ model: 'chat-model', messages: HELLO, ...more });
  return gateway.upstream.truths[0]?.body ?? assert.fail('nothing was sent');
}

/** The message and the member of a refusal, before anything is sent or charged. */
async function refuse(more: object, client?: OpenAI): Promise<string> {
  const error: unknown = await send(more, client).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof BadRequestError, String(error));
  assert.equal(gateway.upstream.truths.length, 0);
  const row = await gateway.findRow(error.requestID ?? '');
  assert.deepEqual([row?.customer, row?.finishReason], ['0', 'client_error']);
  return `${error.param}: ${error.message}`;
}

test('how much to think, as OpenRouter, LiteLLM and providers take it, reaches the provider', async () => {
  const efforts = async (more: object) => (await send(more))['reasoning_effort'];
  assert.equal(await efforts({ reasoning: { effort: 'high' } }), 'high');
  assert.equal(await efforts({ reasoning: { max_tokens: 2000 } }), 'low');
  assert.equal(await efforts({ reasoning: { enabled: true } }), 'medium');
  assert.equal(await efforts({ thinking: { type: 'enabled', budget_tokens: 20_000 } }), 'high');
  assert.equal(await efforts({ reasoning_effort: 'low', thinking: { type: 'enabled' } }), 'low');
  assert.equal(await efforts({ enable_thinking: true }), 'medium');
  assert.equal(await efforts({ reasoning: { exclude: true } }), undefined, 'what is shown asks for none');

  const thinking = async (more: object) =>
    (await send({ model: 'messages-model', max_tokens: 4000, ...more }))['thinking'];
  assert.deepEqual(await thinking({ reasoning: { enabled: false } }), { type: 'disabled' });
  assert.deepEqual(await thinking({ thinking: { type: 'disabled' } }), { type: 'disabled' });
  assert.deepEqual(await thinking({ reasoning: { effort: 'high', exclude: true } }), {
    type: 'enabled',
    budget_tokens: 3000,
    display: 'omitted',
  });
  assert.match(await refuse({ reasoning: { effort: 'huge' } }), /^reasoning\.effort: /);

  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer() });
  const more: object = { reasoning: { max_tokens: 2000 } };
  await createClient().responses.create({ model: 'chat-model', input: 'hello', ...more });
  assert.equal(gateway.upstream.truths[0]?.body['reasoning_effort'], 'low', 'in Responses, too');
});

test('`usage: { include: true }` adds usage and cost to a stream, as at OpenRouter', async () => {
  gateway.upstream.clear();
  gateway.upstream.script({ reply: answer() });
  const more: object = { usage: { include: true } };
  const stream = await createClient().chat.completions.create({
    model: 'chat-model',
    messages: HELLO,
    stream: true,
    ...more,
  });
  let usage: (OpenAI.CompletionUsage & { cost?: number }) | null | undefined;
  for await (const chunk of stream) usage = chunk.usage ?? usage;
  assert.ok((usage?.cost ?? 0) > 0);
});

test('the first of `models` is the model where there is no other', async () => {
  const body = await send({ model: undefined, models: ['chat-spare', 'chat-model'] });
  assert.deepEqual([body['model'], body['models']], ['chat-spare', undefined]);
  assert.equal((await send({ model: undefined, models: ['chat-spare'] }))['model'], 'chat-spare');
});

test('tags, sessions and end users of LiteLLM and OpenRouter are in the log; providers get texts alone', async () => {
  gateway.upstream.clear();
  const more: object = {
    metadata: { tags: ['job:7', 'env=prod'], generation: 'g1', deep: { a: 1 } },
    tags: ['nightly'],
    session_id: 'run-1',
  };
  const { response } = await createClient({ defaultHeaders: { 'x-litellm-customer-id': 'ann' } })
    .chat.completions.create({ model: 'chat-model', messages: HELLO, ...more })
    .withResponse();
  const { tags, sessionId, endUserId } = await gateway.getRow(response);
  assert.deepEqual(tags, { nightly: '', 'job:7': '', env: 'prod', generation: 'g1' });
  assert.deepEqual([sessionId, endUserId], ['run-1', 'ann']);
  assert.deepEqual(gateway.upstream.truths[0]?.body['metadata'], { generation: 'g1' });

  const headers = { 'x-litellm-tags': 'a, b' };
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
  const foreign: object = { metadata: { user_id: 'bob' }, litellm_metadata: { tags: ['c'] } };
  const sent = await client.messages
    .create({ model: 'messages-model', max_tokens: 100, messages: HELLO, ...foreign }, { headers })
    .withResponse();
  assert.deepEqual((await gateway.getRow(sent.response)).tags, { a: '', b: '', c: '' });
  assert.deepEqual(gateway.upstream.truths[1]?.body['metadata'], { user_id: 'bob' });
  assert.equal(gateway.upstream.truths[1].body['litellm_metadata'], undefined);
});

test('what would change the cost, the provider or the readers of the content is refused with what to do instead', async () => {
  for (const [more, message] of [
    [{ plugins: [{ id: 'web' }] }, /^plugins\.0: .*web_search_options/],
    [{ plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }] }, /^plugins\.0: .*pdf\.engine/],
    [{ mock_response: 'hi' }, /^mock_response: .*local\/echo/],
    [{ guardrails: ['pii'] }, /^guardrails: .*checks no content/],
    [{ api_key: 'sk-mine', api_base: 'https://example.com' }, /^api_key: .*bring-your-own/],
    [{ preset: 'support' }, /^preset: .*instructions/],
    [{ prompt_id: 'p' }, /^prompt_id: .*instructions/],
    [{ cache: { ttl: 60 } }, /^cache\.ttl: .*project/],
    [{ additional_drop_params: ['temperature'] }, /^additional_drop_params: .*leave/],
    [{ providerOptions: { gateway: { only: ['x'] } } }, /^providerOptions\.gateway: .*provider/],
    [{ content_policy_fallbacks: [{ a: ['b'] }] }, /^content_policy_fallbacks: .*fallbacks/],
  ] as const) {
    const said = await refuse(more);
    assert.match(said, message);
    assert.doesNotMatch(said, /sk-mine/);
  }
  const portkey = createClient({ defaultHeaders: { 'x-portkey-config': 'pc-1' } });
  assert.match(await refuse({}, portkey), /^x-portkey-config: .*models/);
  await send({
    plugins: [{ id: 'web', enabled: false }, { id: 'file-parser' }],
    guardrails: [],
    mock_response: null,
    transforms: ['middle-out'],
    'no-log': true,
  });
});

test('content is kept out of logs, as LiteLLM’s clients ask, or the request is refused', async () => {
  const { apiKey, projectId } = await gateway.createAccount();
  await gateway.accounts.directory.updateProject(projectId, { payloadDays: 1 });
  assert.match(await refuse({ 'no-log': true }, createClient({ apiKey })), /^no-log: .*stores payloads/);
  const defaultHeaders = { 'x-litellm-enable-message-redaction': 'true' };
  assert.match(await refuse({}, createClient({ apiKey, defaultHeaders })), /^x-litellm-enable-/);
});

test('`cache: { "no-cache": true }` asks the provider again', async () => {
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const client = createClient({ apiKey });
  gateway.upstream.clear();
  const ask = async (more: object) => {
    const sent = client.chat.completions.create({ model: 'chat-model', messages: HELLO, ...more });
    await sent;
    return gateway.upstream.truths.length;
  };
  assert.deepEqual([await ask({}), await ask({})], [1, 1]);
  const fresh = { cache: { 'no-cache': true } };
  assert.deepEqual([await ask(fresh), await ask(fresh)], [2, 3]);
});

test('base URLs and key headers of OpenRouter, LiteLLM and Azure work with another host', async () => {
  for (const prefix of ['/api/v1', '/openai/v1']) {
    const client = createClient({ baseURL: `${gateway.url}${prefix}` });
    assert.equal((await send({}, client))['model'], 'chat-model');
    assert.equal((await client.models.retrieve('chat-model')).id, 'chat-model');
  }
  const anthropic = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: gateway.apiKey });
  await anthropic.messages.create({ model: 'messages-model', max_tokens: 100, messages: HELLO });
  for (const headers of [
    { 'api-key': gateway.apiKey },
    { 'x-litellm-api-key': `Bearer ${gateway.apiKey}` },
    { 'x-litellm-api-key': gateway.apiKey },
  ] as Record<string, string>[])
    await send({}, createClient({ defaultHeaders: { authorization: null, ...headers } }));
});

test('a client of Azure names the model as its deployment', async () => {
  const azure = (deployment?: string) =>
    new AzureOpenAI({
      endpoint: gateway.url,
      apiKey: gateway.apiKey,
      apiVersion: '2024-10-21',
      maxRetries: 0,
      ...(deployment !== undefined && { deployment }),
    });
  assert.equal((await send({}, azure()))['model'], 'chat-model');
  assert.equal((await send({ model: '' }, azure('chat-spare')))['model'], 'chat-spare');
  assert.equal((await send({ model: 'other' }, azure('chat-spare')))['model'], 'chat-spare');
});

test('addresses of LiteLLM and OpenRouter alone are a 404 that says what has the same', async () => {
  for (const [path, advice] of [
    ['/model/info', /GET \/v1\/models/],
    ['/key/info', /GET \/v1\/key/],
    ['/api/v1/credits', /GET \/v1\/key/],
    ['/api/v1/generation?id=gen-1', /usage\.cost/],
    ['/health/liveliness', /\/livez/],
    ['/key/generate', /\/admin\/v1/],
    ['/spend/logs', /\/v1\/usage/],
  ] as const) {
    const response = await gateway.request(path);
    assert.equal(response.status, 404);
    assert.match(await response.text(), advice);
  }
});
