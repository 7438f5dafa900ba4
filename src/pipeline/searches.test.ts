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
  const config = `providers:\n  - { id: anthropic, baseUrl: "${upstream.baseUrl}", apiKey: mock-key }\n`;
  gateway = await openInProcess({ config });
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
