import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '#base';
import { GatewayError } from '#errors';
import { fail } from '../../../test/support/upstream-replies.ts';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { countPrompt } from './count-prompt.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';

const COUNT = '/v1/messages/count_tokens';
const MESSAGES = '/v1/messages';
/** The mock provider counts a token for four bytes; the gateway holds one for two until it knows better. */
const LONG = 'word '.repeat(8_000);
/** Enough for 10,000 tokens of input at 3 USD per million, not for 20,000. */
const BUDGET = '0.045';

const gateway = shareGateway();

async function createKey(usd: string): Promise<string> {
  const { apiKey } = await gateway.createAccount({ limit: parseUsd(usd) ?? 0n });
  return apiKey;
}

function ask(apiKey: string, { text = LONG, ...more }: Record<string, unknown> & { text?: string } = {}) {
  const body = {
    model: 'messages-model',
    max_tokens: 50,
    messages: [{ role: 'user', content: text }],
    ...more,
  };
  return gateway.post(MESSAGES, body, { authorization: `Bearer ${apiKey}` });
}

const asked = (): string[] => gateway.upstream.truths.map(({ path }) => path);

for (const stream of [false, true]) {
  test(`a prompt that a budget covers by its provider’s own count is answered, ${stream ? 'as a stream' : 'as JSON'}`, async () => {
    const response = await ask(await createKey(BUDGET), { stream });
    assert.equal(response.status, 200, await response.clone().text());
    await response.text();
    assert.deepEqual(asked(), [COUNT, MESSAGES]);
    const { customer } = await gateway.getRow(response);
    assert.ok(BigInt(customer) > 0n && BigInt(customer) <= (parseUsd(BUDGET) ?? 0n));
  });
}

test('so is one for Gemini, whose counter takes the whole request', async () => {
  const response = await ask(await createKey(BUDGET), { model: 'gemini-model', stream: true });
  assert.equal(response.status, 200, await response.clone().text());
  await response.text();
  const [counter, answerer] = asked();
  assert.match(counter ?? '', /gemini-model:countTokens$/);
  assert.match(answerer ?? '', /gemini-model:streamGenerateContent/);
});

/** Whatever is in it: its pages may be compressed to a few bytes. */
const DOCUMENT = [
  {
    type: 'document',
    source: {
      type: 'base64',
      media_type: 'application/pdf',
      data: Buffer.from('%PDF-1.7').toString('base64'),
    },
  },
  { type: 'text', text: 'Sum it up.' },
];

test('a document is held as the model’s whole context, or as its provider counts it where the budget is smaller', async () => {
  const askAbout = async (usd: string, model = 'messages-model'): Promise<number> => {
    const response = await ask(await createKey(usd), {
      model,
      messages: [{ role: 'user', content: DOCUMENT }],
    });
    await response.text();
    return response.status;
  };
  assert.equal(await askAbout('10'), 200);
  assert.deepEqual(asked(), [MESSAGES], 'the budget covers a context');
  assert.equal(await askAbout('0.01'), 200);
  assert.deepEqual(asked(), [MESSAGES, COUNT, MESSAGES]);
  assert.equal(await askAbout('0.01', 'gemini-model'), 200);
  assert.equal(await askAbout('0.01', 'chat-model'), 402, 'no counter: it may cost more');
});

test('a document that a tool of the provider has fetched is held like one that the client sends', async () => {
  const [document] = DOCUMENT;
  const fetched = { type: 'web_fetch_result', url: 'https://example.com/a.pdf', content: document };
  const called = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_fetch',
    input: { url: fetched.url },
  };
  const result = { type: 'web_fetch_tool_result', tool_use_id: called.id, content: fetched };
  const messages = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [called, result] },
    { role: 'user', content: 'Sum it up.' },
  ];
  const response = await ask(await createKey('0.01'), { messages });
  assert.equal(response.status, 200, await response.clone().text());
  await response.text();
  assert.deepEqual(asked(), [COUNT, MESSAGES]);
});

test('a prompt is counted once, whatever becomes of it', async () => {
  const apiKey = await createKey('0.02');
  const needed = async (): Promise<string> => {
    const response = await ask(apiKey);
    assert.equal(response.status, 402);
    return /may cost up to (\S+) USD/.exec(await response.text())?.[1] ?? '';
  };
  const first = await needed();
  assert.ok(Number(first) < 0.04, `the refusal names what the count needs: ${first} USD`);
  assert.equal(await needed(), first);
  assert.deepEqual(asked(), [COUNT]);
});

test('no provider is asked where a count cannot help: almost nothing is left, or the prompt is short', async () => {
  assert.equal((await ask(await createKey('0.001'))).status, 402);
  assert.equal((await ask(await createKey('0.004'), { text: 'word '.repeat(400) })).status, 402);
  assert.deepEqual(asked(), []);
});

test('a counter that fails leaves the refusal as it is', async () => {
  gateway.upstream.script({ reply: fail(500, 'api_error') });
  const response = await ask(await createKey(BUDGET));
  assert.equal(response.status, 402);
  assert.deepEqual(asked(), [COUNT]);
});

test('a provider without a counter is not asked', async () => {
  assert.equal((await ask(await createKey(BUDGET), { model: 'chat-model' })).status, 402);
  assert.deepEqual(asked(), []);
});

test('a request that has waited for open ones is not counted: it would wait once more', async () => {
  const shortage = { budget: 'key', left: 5n, needed: 5n };
  const thrown = new GatewayError('key_limit_reached', 'no', { shortage });
  const route = [{}] as Mapping[];
  const trip = { get: () => ({ hasDocuments: false, bound: 5, conversation: 'talk' }) } as unknown as Trip;
  const ports = { prompts: { isCounted: () => assert.fail('it is counted') } } as unknown as Ports;
  assert.equal(await countPrompt(ports, trip, { route, thrown }), false);
});
