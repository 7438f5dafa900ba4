import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../support/in-process.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { hang } from '../support/upstream-replies.ts';

test('a provider with timeouts of its own is waited for as long as they say, others as long as all', async () => {
  await using upstream = await startMockUpstream();
  const provider = (id: string, more: string): string =>
    `  - { id: ${id}, format: chat, baseUrl: "${upstream.baseUrl}", apiKey: k, ${more} models: [{ id: ${id}-model, price: { input: "1", output: "1" } }] }\n`;
  await using gateway = await openInProcess({
    config: `timeouts: { firstEventMs: 400 }\nproviders:\n${provider('quick', 'timeouts: { firstEventMs: 200 },')}${provider('usual', '')}`,
    env: { SLUICE_ADAPTIVE_ROUTING: 'off' },
  });
  upstream.script({ reply: hang() });
  const messageOf = async (model: string): Promise<string> => {
    const body = { model, stream: true, messages: [{ role: 'user', content: 'hello' }] };
    const response = await gateway.post('/v1/chat/completions', body);
    assert.equal(response.status, 504);
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  assert.equal(await messageOf('quick-model'), 'the provider quick did not start its response within 0.2 s');
  assert.equal(await messageOf('usual-model'), 'the provider usual did not start its response within 0.4 s');
});
