import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { GatewayError } from '#errors';
import { createAccountObjects } from '#objects';
import { answer } from '../../../test/support/upstream-replies.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';

const gateway = shareGateway({
  config: ({ baseUrl }) =>
    `providers:\n${['anthropic', 'google', 'openai'].map((id) => `  - { id: ${id}, baseUrl: "${baseUrl}", apiKey: mock-key }\n`).join('')}`,
});
before(async () => {
  const { database, clock, account } = gateway;
  // What is held before dispatch is all there is: a hold that grew would cover any cost.
  gateway.accounts.ledger.grow = () =>
    Promise.reject(new GatewayError('credits_exhausted', 'holds do not grow in this test'));
  const created = [{ id: 'cachedContents/abc' }, { id: 'fileSearchStores/abc' }];
  await createAccountObjects({ database, clock }).save(created, { providerId: 'google' }, account);
});

/** What the caller paid, and what the provider charged. */
async function pay(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await gateway.post(path, body, headers);
  assert.equal(response.status, 200, `${path}: ${await response.text()}`);
  const { customer, provider, usage } = await gateway.getRow(response);
  assert.ok(BigInt(provider) > 0n);
  return { customer: BigInt(customer), provider: BigInt(provider), usage };
}

async function assertPaid(path: string, body: object): Promise<void> {
  const { customer, provider } = await pay(path, body);
  assert.equal(customer, provider, path);
}

const MODEL = 'claude-sonnet-4-5';
const CREDITS = 5_000_000_000_000n;

const ask = (maxUses: number): Record<string, object> => ({
  '/v1/messages': {
    model: MODEL,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxUses }],
  },
  // Only Responses providers receive this tool; others answer without a search.
  '/v1/responses': {
    model: MODEL,
    input: 'hello',
    max_output_tokens: 50,
    tools: [{ type: 'web_search', max_uses: maxUses }],
  },
});

for (const maxUses of [-1e9, -1, 0, 1.5, 3]) {
  test(`the cost of an answer does not depend on its search limit: ${maxUses}`, async () => {
    const { apiKey } = await gateway.createAccount({ credits: CREDITS });
    for (const [path, body] of Object.entries(ask(maxUses))) {
      const { customer, provider } = await pay(path, body, { authorization: `Bearer ${apiKey}` });
      assert.equal(customer, provider, path);
    }
  });
}

test('an absurd number of searches still has a finite price', async () => {
  for (const [path, body] of Object.entries(ask(1e300))) await pay(path, body);
  const { apiKey } = await gateway.createAccount({ credits: CREDITS });
  const refused = await gateway.post('/v1/messages', ask(1e300)['/v1/messages'], {
    authorization: `Bearer ${apiKey}`,
  });
  assert.equal(refused.status, 402);
  assert.match(await refused.text(), /may cost up to 10000.75075 USD/);
});

const CODEX = 'gpt-5.3-codex';

/** An OpenAI answer with two searches and one opened page. */
function scriptSearches(usage: JsonObject): void {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
  const open = { ...search, id: 'ws_3', action: { type: 'open_page', url: 'https://example.com' } };
  const content = [{ type: 'output_text', text: 'found', annotations: [] }];
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  const body = JSON.stringify({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: CODEX,
    output: [search, { ...search, id: 'ws_2' }, open, message],
    usage,
  });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  gateway.upstream.script({
    reply: async (exchange) => {
      await exchange.sendHead(200, headers);
      await exchange.end(body);
    },
  });
}

test('searches that OpenAI ran are paid for, pages it opened are not', async () => {
  scriptSearches({ input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 });
  const request = { model: CODEX, input: 'hello', max_output_tokens: 200, tools: [{ type: 'web_search' }] };
  const { customer, usage } = await pay('/v1/responses', request);
  assert.equal(usage.webSearches, 2);
  // 1,000 × 1.75 + 100 × 14 USD per million, and twice a cent.
  assert.equal(customer, BigInt(1_750_000_000 + 1_400_000_000 + 2 * 10_000_000_000));
});

test('the hold covers searches requested by a Chat field, and the text they add to the prompt', async () => {
  scriptSearches({ input_tokens: 100_000, output_tokens: 100, total_tokens: 100_100 });
  const messages = [{ role: 'user', content: 'hello' }];
  const request = { model: CODEX, max_completion_tokens: 200, messages, web_search_options: {} };
  await assertPaid('/v1/chat/completions', request);
});

const IMAGE = 'https://example.com/cat.png';

/** What OpenAI charges for an image of 768 × 2048 pixels, and of 10,000 patches. */
const MOST_TOKENS = { 'gpt-4o-mini': 2_833 + 8 * 5_667, 'gpt-5.5': 12_000, 'gpt-4o': 85 + 8 * 170 };

for (const [model, tokens] of Object.entries(MOST_TOKENS)) {
  test(`the hold for an image is the most tokens that ${model} counts for one`, async () => {
    const input = 2 * tokens + 10;
    const usage =
      model === 'gpt-5.5'
        ? { input_tokens: input, output_tokens: 1, total_tokens: input + 1 }
        : { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 };
    gateway.upstream.script({ reply: answer({ usage }) });
    const part = { type: 'image_url', image_url: { url: IMAGE } };
    const messages = [{ role: 'user', content: [part, part] }];
    await assertPaid('/v1/chat/completions', { model, max_completion_tokens: 16, messages });
  });
}

test('an image within a document is an image', async () => {
  gateway.upstream.script({ reply: answer({ usage: { input_tokens: 10 * 1_600, output_tokens: 1 } }) });
  const image = { type: 'image', source: { type: 'url', url: IMAGE } };
  const content = Array.from({ length: 10 }, () => image);
  const document = { type: 'document', source: { type: 'content', content } };
  const messages = [{ role: 'user', content: [document, { type: 'text', text: 'which is the cat?' }] }];
  await assertPaid('/v1/messages', { model: MODEL, max_tokens: 16, messages });
});

/** What Google fetches by itself, and how it counts it. */
const FETCHED: Record<string, { body: object; usage: Record<string, number> }> = {
  'a cache that lies there': {
    body: { cachedContent: 'cachedContents/abc' },
    usage: { promptTokenCount: 900_000, cachedContentTokenCount: 899_990 },
  },
  'a cache that lies there, in snake case': {
    body: { cached_content: 'cachedContents/abc' },
    usage: { promptTokenCount: 900_000, cachedContentTokenCount: 899_990 },
  },
  'pages by their address': {
    body: { tools: [{ urlContext: {} }] },
    usage: { promptTokenCount: 10, toolUsePromptTokenCount: 900_000 },
  },
  'pages by their address, in snake case': {
    body: { tools: [{ url_context: {} }] },
    usage: { promptTokenCount: 10, toolUsePromptTokenCount: 900_000 },
  },
  'files of a store': {
    body: { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/abc'] } }] },
    usage: { promptTokenCount: 10, toolUsePromptTokenCount: 900_000 },
  },
  'what its code printed': {
    body: { tools: [{ codeExecution: {} }] },
    usage: { promptTokenCount: 10, toolUsePromptTokenCount: 900_000 },
  },
};

for (const [what, { body, usage }] of Object.entries(FETCHED)) {
  test(`the hold covers what Google reads by itself: ${what}`, async () => {
    gateway.upstream.script({ reply: answer({ usage: { ...usage, candidatesTokenCount: 1 } }) });
    await assertPaid('/v1beta/models/gemini-2.5-pro:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'sum it up' }] }],
      generationConfig: { maxOutputTokens: 16 },
      ...body,
    });
  });
}

test('the hold covers what Anthropic reads by itself: answers of MCP servers', async () => {
  gateway.upstream.script({ reply: answer({ usage: { input_tokens: 150_000, output_tokens: 1 } }) });
  const ask = { model: MODEL, max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] };
  const servers = [{ type: 'url', url: 'https://mcp.example.com/sse', name: 'example' }];
  await assertPaid('/v1/messages', { ...ask, mcp_servers: servers });
  const without = await pay('/v1/messages', { ...ask, mcp_servers: [] });
  assert.ok(without.customer < without.provider, 'nothing is fetched');
});

test('the hold covers the summary of a prompt that is long enough for one, and the prompt that it is made of', async () => {
  const usage = {
    input_tokens: 20_000,
    output_tokens: 16,
    iterations: [
      { type: 'compaction', input_tokens: 58_000, output_tokens: 3_500 },
      { type: 'message', input_tokens: 20_000, output_tokens: 16 },
    ],
  };
  gateway.upstream.script({ reply: answer({ usage }) });
  const edit = { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } };
  // Half a token per byte is held.
  const messages = [{ role: 'user', content: 'x'.repeat(120_000) }];
  const options = { model: MODEL, max_tokens: 16, context_management: { edits: [edit] } };
  await assertPaid('/v1/messages', { ...options, messages });
});

test('the hold covers large images after as many small ones with the same text', async () => {
  const ask = (data: string) => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const content = [{ type: 'text', text: 'y'.repeat(8_000) }, ...Array.from({ length: 20 }, () => image)];
    return { model: MODEL, max_tokens: 16, messages: [{ role: 'user', content }] };
  };
  gateway.upstream.script({ reply: answer({ usage: { input_tokens: 2_500, output_tokens: 1 } }) });
  await assertPaid('/v1/messages', ask('AAAA'));
  gateway.upstream.script({ reply: answer({ usage: { input_tokens: 90_000, output_tokens: 1 } }) });
  await assertPaid('/v1/messages', ask('BBBB'));
});

test('the hold of an answer as a whole covers that its prompt is read again after each search', async () => {
  const usage = {
    input_tokens: 11 * 30_000,
    output_tokens: 1,
    server_tool_use: { web_search_requests: 10 },
  };
  gateway.upstream.script({ reply: answer({ usage }) });
  await assertPaid('/v1/messages', {
    model: 'claude-haiku-4-5',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'word '.repeat(24_000) }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  });
});

test('the hold covers other text after one that began alike, was as long and lies in the cache', async () => {
  const ask = (text: string) => {
    const content = `${'y'.repeat(300)}${text}`;
    return { model: MODEL, max_tokens: 16, messages: [{ role: 'user', content }] };
  };
  const count = { output_tokens: 1, cache_creation_input_tokens: 0 };
  const repeated = { ...count, input_tokens: 10, cache_read_input_tokens: 8_000 };
  gateway.upstream.script({ reply: answer({ usage: repeated }) });
  await assertPaid('/v1/messages', ask(' '.repeat(200_000)));
  const dense = { ...count, input_tokens: 10, cache_creation_input_tokens: 70_000 };
  gateway.upstream.script({ reply: answer({ usage: dense }) });
  await assertPaid('/v1/messages', ask('4 7 '.repeat(50_000)));
});

test('the hold covers ordinary text after many prompts that repeat themselves', async () => {
  const ask = (text: string) => ({
    model: 'claude-haiku-4-5',
    max_tokens: 16,
    messages: [{ role: 'user', content: text }],
  });
  for (let times = 0; times < 8; times += 1) {
    gateway.upstream.script({ reply: answer({ usage: { input_tokens: 500, output_tokens: 1 } }) });
    await assertPaid('/v1/messages', ask(`${times}`.repeat(8_000)));
  }
  const usage = { input_tokens: 10, cache_creation_input_tokens: 19_000, output_tokens: 1 };
  gateway.upstream.script({ reply: answer({ usage }) });
  await assertPaid('/v1/messages', ask('Four bytes are one token. '.repeat(3_000)));
});

test('the hold covers silence', async () => {
  // Frames of FLAC with 65,535 samples at 8 kHz: eight seconds in 14 bytes.
  const silence = Buffer.concat([
    Buffer.from('fLaC'),
    Buffer.alloc(14_000, 'fff8740800fffeb6000000000000', 'hex'),
  ]);
  const usage = {
    promptTokenCount: 262_010,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 262_000 }],
  };
  gateway.upstream.script({ reply: answer({ usage: { ...usage, candidatesTokenCount: 1 } }) });
  const inlineData = { mimeType: 'audio/flac', data: silence.toString('base64') };
  await assertPaid('/v1beta/models/gemini-2.5-pro:generateContent', {
    contents: [{ role: 'user', parts: [{ inlineData }] }],
    generationConfig: { maxOutputTokens: 16 },
  });
});

test('the hold covers what a computer shows at an address', async () => {
  const output = { type: 'computer_screenshot', image_url: IMAGE };
  const input = Array.from({ length: 20 }, (_, at) => [
    { type: 'computer_call', call_id: `c${at}`, action: { type: 'screenshot' }, status: 'completed' },
    { type: 'computer_call_output', call_id: `c${at}`, output },
  ]).flat();
  const usage = { input_tokens: 30_000, output_tokens: 1, total_tokens: 30_001 };
  gateway.upstream.script({ reply: answer({ usage }) });
  await assertPaid('/v1/responses', { model: CODEX, max_output_tokens: 16, input });
});
