import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../../test/support/mock-upstream.ts';
import { answer } from '../../test/support/upstream-replies.ts';

let upstream: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  upstream = await startMockUpstream();
  const provider = (id: string): string =>
    `  - { id: ${id}, baseUrl: "${upstream.baseUrl}", apiKey: mock-key }\n`;
  gateway = await openInProcess({ config: `providers:\n${provider('google')}${provider('anthropic')}` });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

/** What Google reads by itself, and how it counts it. */
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
    upstream.clear();
    upstream.script({ reply: answer({ usage: { ...usage, candidatesTokenCount: 1 } }) });
    const response = await gateway.post('/v1beta/models/gemini-2.5-pro:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'sum it up' }] }],
      generationConfig: { maxOutputTokens: 16 },
      ...body,
    });
    assert.equal(response.status, 200, await response.text());
    const { customer, provider } = await gateway.getRow(response);
    assert.ok(BigInt(provider) > 0n);
    assert.equal(customer, provider);
  });
}

test('the hold covers what Anthropic reads by itself: answers of MCP servers', async () => {
  const ask = async (more: object) => {
    upstream.clear();
    upstream.script({ reply: answer({ usage: { input_tokens: 150_000, output_tokens: 1 } }) });
    const body = { model: 'claude-sonnet-4-5', max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] };
    const response = await gateway.post('/v1/messages', { ...body, ...more });
    assert.equal(response.status, 200, await response.text());
    const { customer, provider } = await gateway.getRow(response);
    return { customer: BigInt(customer), provider: BigInt(provider) };
  };
  const servers = [{ type: 'url', url: 'https://mcp.example.com/sse', name: 'example' }];
  const { customer, provider } = await ask({ mcp_servers: servers });
  assert.equal(customer, provider);
  const without = await ask({ mcp_servers: [] });
  assert.ok(without.customer < without.provider, 'nothing is fetched');
});
