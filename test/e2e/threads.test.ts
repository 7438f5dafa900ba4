import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type { JsonObject } from '#base';
import { type InProcessGateway, type TestAccount, openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { answer, fail, overloaded, sequence } from '../support/upstream-replies.ts';

const CALL = { id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } };
/** What a provider must be sent of the first turn to answer the second. */
const WHOLE = ['Be brief.', 'Weather in Oslo?', 'toolu_1', 'rain'];
/** 0.9 USD for a context of 300,000 tokens. */
const PRICE = 'contextLength: 300000, maxOutput: 1000, price: { input: "3", output: "15" }';

interface Offer {
  models: readonly string[];
  dialect?: string;
}

let upstream: MockUpstream;
/** A Chat provider that also serves `shared-model`, for more. */
let other: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  upstream = await startMockUpstream();
  other = await startMockUpstream();
  const provider = (id: string, format: string, { models, dialect = '' }: Offer) => [
    `  - id: ${id}`,
    `    format: ${format}`,
    `    baseUrl: ${(id === 'other' ? other : upstream).baseUrl}`,
    '    apiKey: mock-key',
    '    models:',
    ...models.map((model) => `      - { id: ${model}, ${PRICE} }`),
    dialect,
  ];
  gateway = await openInProcess({
    config: [
      'providers:',
      ...provider('anthropic-like', 'messages', {
        models: ['messages-model', 'shared-model'],
        dialect: '    dialect: { betas: verbatim }',
      }),
      ...provider('without-betas', 'messages', {
        models: ['betaless-model'],
        dialect: '    dialect: { betas: none }',
      }),
      ...provider('talker', 'chat', { models: ['chat-model'] }),
      ...provider('writer', 'responses', { models: ['responses-model'] }),
      ...provider('googly', 'gemini', { models: ['gemini-model'] }),
      ...provider('other', 'chat', { models: ['shared-model'] }).map((line) => line.replace('"3"', '"4"')),
      '',
    ].join('\n'),
  });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
  await other.close();
});
afterEach(() => {
  upstream.clear();
  other.clear();
});

const createClient = ({ apiKey }: TestAccount = gateway.account) =>
  new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 });

/** The SDK's tool runner, which continues a thread by default, so that it only sends what is new. */
function runTools(model: string, { stream = false, account = gateway.account } = {}) {
  return createClient(account).beta.messages.toolRunner({
    model,
    max_tokens: 50,
    stream,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Weather in Oslo?' }],
    tools: [
      {
        name: 'get_weather',
        input_schema: { type: 'object', properties: { city: { type: 'string' } } },
        parse: (input: unknown) => input,
        run: () => 'rain',
      },
    ],
  });
}

const script = () =>
  upstream.script({ reply: sequence(answer({ text: '', toolCalls: [CALL] }), answer({ text: 'Rain.' })) });

for (const model of ['chat-model', 'responses-model', 'gemini-model', 'betaless-model'])
  for (const stream of [false, true])
    test(`a provider without threads gets the whole conversation of the SDK’s tool runner: ${model}, ${stream ? 'streamed' : 'as JSON'}`, async () => {
      script();
      const message = await runTools(model, { stream }).runUntilDone();
      assert.deepEqual(message.content, [{ type: 'text', text: 'Rain.' }]);
      assert.equal(upstream.truths.length, 2);
      for (const text of WHOLE) assert.ok(upstream.truths[1]?.rawBody.includes(text), text);
    });

test('a provider with threads is only sent what is new, and is held for its whole context', async () => {
  const account = await gateway.createAccount({ credits: 2_000_000_000_000n });
  const held: bigint[] = [];
  const replies = sequence(answer({ text: '', toolCalls: [CALL] }), answer({ text: 'Rain.' }));
  upstream.script({
    reply: async (exchange) => {
      const { rows } = await gateway.database.query<{ amount: string }>({
        text: 'SELECT amount::text FROM hold',
      });
      held.push(...rows.map(({ amount }) => BigInt(amount)));
      await replies(exchange);
    },
  });
  await runTools('messages-model', { account }).runUntilDone();
  const [first, second] = upstream.truths;
  assert.deepEqual(first?.body['thread'], { type: 'create' });
  assert.deepEqual(second?.body['thread'], { type: 'continue', previous_message_id: 'msg_mock0' });
  for (const text of WHOLE.slice(0, 2)) assert.ok(!second.rawBody.includes(text), text);
  const [ofWhole = 0n, ofContinued = 0n] = held;
  assert.ok(ofWhole < 100_000_000_000n, String(ofWhole));
  assert.ok(ofContinued >= 900_000_000_000n, String(ofContinued));
});

test('a budget that does not cover the longest thread covers the whole conversation', async () => {
  const account = await gateway.createAccount({ credits: 500_000_000_000n });
  script();
  const message = await runTools('messages-model', { account }).runUntilDone();
  assert.deepEqual(message.content, [{ type: 'text', text: 'Rain.' }]);
  assert.equal(upstream.truths.length, 2);
  assert.deepEqual(upstream.truths[1]?.body['thread'], { type: 'create' });
  for (const text of WHOLE) assert.ok(upstream.truths[1].rawBody.includes(text), text);
});

test('a thread is not continued elsewhere where its provider fails or has lost it', async () => {
  const asked = { model: 'shared-model', max_tokens: 50, messages: [{ role: 'user', content: 'Hello.' }] };
  const betas = { 'anthropic-beta': 'message-threads-2026-08-12' };
  const ask = async (fields: JsonObject, account = gateway.account) => {
    const headers = { ...betas, 'x-api-key': account.apiKey };
    const response = await gateway.post('/v1/messages', { ...asked, ...fields }, headers);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const begun = await ask({ thread: { type: 'create' } });
  const thread = { type: 'continue', previous_message_id: begun.body['id'] as string };
  upstream.clear();
  upstream.script({ reply: overloaded(529) });
  assert.equal((await ask({ thread })).status, 529);
  gateway.clock.advance(3_600_000);
  upstream.clear();
  upstream.script({ reply: fail(404, 'not_found_error') });
  assert.equal((await ask({ thread })).status, 404);
  const { apiKey } = await gateway.createAccount();
  const foreign = await ask({ thread }, { ...gateway.account, apiKey });
  assert.equal(foreign.status, 404);
  assert.deepEqual((foreign.body['error'] as JsonObject)['details'], { error_code: 'thread_not_found' });
  assert.equal(other.truths.length, 0);
});

test('only a thread may be continued without a message', async () => {
  const create = (model: string, thread?: Anthropic.Beta.BetaMessageThreadParam) =>
    createClient().beta.messages.create({ model, max_tokens: 50, messages: [], ...(thread && { thread }) });
  const { id } = await createClient().beta.messages.create({
    model: 'messages-model',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Hello.' }],
    thread: { type: 'create' },
  });
  await create('messages-model', { type: 'continue', previous_message_id: id });
  assert.deepEqual(upstream.truths.at(-1)?.body['messages'], []);
  for (const thread of [undefined, { type: 'create' } as const])
    await assert.rejects(create('messages-model', thread), (error) => {
      assert.ok(error instanceof APIError && error.status === 400);
      return error.message.includes('messages: at least one message is required');
    });
});
