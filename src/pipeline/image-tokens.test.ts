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
  gateway = await openInProcess({ config: `providers:\n${provider('openai')}${provider('anthropic')}` });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const IMAGE = 'https://example.com/cat.png';

async function assertPaid(path: string, body: object): Promise<void> {
  const response = await gateway.post(path, body);
  assert.equal(response.status, 200, await response.text());
  const { customer, provider } = await gateway.getRow(response);
  assert.ok(BigInt(provider) > 0n);
  assert.equal(customer, provider);
}

/** What OpenAI charges for an image of 768 × 2048 pixels, and of 10,000 patches. */
const DEAREST = { 'gpt-4o-mini': 2_833 + 8 * 5_667, 'gpt-5.5': 12_000, 'gpt-4o': 85 + 8 * 170 };

for (const [model, tokens] of Object.entries(DEAREST)) {
  test(`the hold for an image is what ${model} makes of one at most`, async () => {
    const input = 2 * tokens + 10;
    const usage =
      model === 'gpt-5.5'
        ? { input_tokens: input, output_tokens: 1, total_tokens: input + 1 }
        : { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 };
    upstream.script({ match: { model }, reply: answer({ text: 'cat', usage }) });
    const part = { type: 'image_url', image_url: { url: IMAGE } };
    const messages = [{ role: 'user', content: [part, part] }];
    await assertPaid('/v1/chat/completions', { model, max_completion_tokens: 16, messages });
  });
}

test('an image within a document is an image', async () => {
  const model = 'claude-sonnet-4-5';
  upstream.script({
    match: (truth) => truth.rawBody.includes('document'),
    reply: answer({ text: 'cat', usage: { input_tokens: 10 * 1_600, output_tokens: 1 } }),
  });
  const image = { type: 'image', source: { type: 'url', url: IMAGE } };
  const content = Array.from({ length: 10 }, () => image);
  const document = { type: 'document', source: { type: 'content', content } };
  const messages = [{ role: 'user', content: [document, { type: 'text', text: 'which is the cat?' }] }];
  await assertPaid('/v1/messages', { model, max_tokens: 16, messages });
});
