import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../../../test/support/in-process.ts';
import { startMockUpstream } from '../../../test/support/mock-upstream.ts';

test('a budget never sets an output limit above 256,000 tokens, which no model exceeds', async () => {
  const upstream = await startMockUpstream();
  await using gateway = await openInProcess({
    config: [
      'providers:',
      `  - { id: mock, format: chat, baseUrl: "${upstream.baseUrl}", apiKey: k, models: [`,
      '      { id: wide, contextLength: 10000000, price: { input: "0", output: "1" } } ] }',
      '',
    ].join('\n'),
  });
  const { apiKey } = await gateway.createAccount({ credits: 1_000_000_000_000n });
  const messages = [{ role: 'user', content: 'hi' }];
  const response = await gateway.post(
    '/v1/chat/completions',
    { model: 'wide', messages, max_tokens: 2_000_000 },
    { authorization: `Bearer ${apiKey}` },
  );
  assert.equal(response.status, 200, await response.text());
  assert.equal(response.headers.get('x-gateway-output-limit'), '256000');
  await upstream.close();
});
