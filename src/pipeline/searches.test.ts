import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../../test/support/mock-upstream.ts';

const MODEL = 'claude-sonnet-4-5';
const CREDITS = 5_000_000_000_000n;

let upstream: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  upstream = await startMockUpstream();
  const provider = (id: string): string =>
    `  - { id: ${id}, baseUrl: "${upstream.baseUrl}", apiKey: mock-key }\n`;
  gateway = await openInProcess({ config: `providers:\n${provider('anthropic')}${provider('openai')}` });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const ask = (maxUses: number): Record<string, object> => ({
  '/v1/messages': {
    model: MODEL,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxUses }],
  },
  // No provider but a Responses one is sent this tool: the answer comes without a search.
  '/v1/responses': {
    model: MODEL,
    input: 'hello',
    max_output_tokens: 50,
    tools: [{ type: 'web_search', max_uses: maxUses }],
  },
});

for (const maxUses of [-1e9, -1, 0, 1.5, 3]) {
  test(`an answer costs what it costs, whatever the searches it was limited to: ${maxUses}`, async () => {
    const { apiKey } = await gateway.createAccount({ credits: CREDITS });
    for (const [path, body] of Object.entries(ask(maxUses))) {
      const response = await gateway.post(path, body, { authorization: `Bearer ${apiKey}` });
      assert.equal(response.status, 200, `${path}: ${await response.text()}`);
      const { customer, provider } = await gateway.getRow(response);
      assert.ok(BigInt(provider) > 0n);
      assert.equal(customer, provider, path);
    }
  });
}

test('more searches than anybody makes are still an amount of money', async () => {
  for (const [path, body] of Object.entries(ask(1e300))) {
    const response = await gateway.post(path, body);
    assert.equal(response.status, 200, `${path}: ${await response.text()}`);
  }
  const { apiKey } = await gateway.createAccount({ credits: CREDITS });
  const refused = await gateway.post('/v1/messages', ask(1e300)['/v1/messages'], {
    authorization: `Bearer ${apiKey}`,
  });
  assert.equal(refused.status, 402);
  assert.match(await refused.text(), /may cost up to 10001.20075 USD/);
});

test('searches that OpenAI ran are paid for, pages it opened are not', async () => {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
  const open = { ...search, id: 'ws_3', action: { type: 'open_page', url: 'https://example.com' } };
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'found', annotations: [] }],
  };
  const body = JSON.stringify({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-5.1-codex',
    output: [search, { ...search, id: 'ws_2' }, open, message],
    usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
  });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  upstream.script({
    match: { model: 'gpt-5.1-codex' },
    reply: async (exchange) => {
      await exchange.sendHead(200, headers);
      await exchange.end(body);
    },
  });
  const response = await gateway.post('/v1/responses', {
    model: 'gpt-5.1-codex',
    input: 'hello',
    max_output_tokens: 200,
    tools: [{ type: 'web_search' }],
  });
  assert.equal(response.status, 200, await response.text());
  const { customer, usage } = await gateway.getRow(response);
  assert.equal(usage.webSearches, 2);
  // 1,000 × 1.25 + 100 × 10 USD per million, and twice a cent.
  assert.equal(customer, String(1_250_000_000 + 1_000_000_000 + 2 * 10_000_000_000));
});
