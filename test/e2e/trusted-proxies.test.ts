import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from '../support/refusal.ts';
import { shareGateway } from '../support/share-gateway.ts';

const gateway = shareGateway({ config: 'server: { trustedProxies: [127.0.0.0/8, 10.0.0.0/8] }\n' });

/** Sends a request to each kind of path, as the proxy on this machine forwards it. */
async function ask(apiKey: string, forwarded: string): Promise<Response[]> {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-forwarded-for': forwarded };
  const body = { model: 'local/echo', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  return [
    await gateway.request('/v1/key', { headers }),
    await gateway.post('/v1/chat/completions', body, headers),
  ];
}

test('rules about networks see the client behind trusted proxies, and nothing that it claims itself', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  const { directory } = gateway.accounts;
  await directory.addRule({
    layer: 'key',
    subjectId: keyId,
    type: 'allow-networks',
    values: ['203.0.113.0/24'],
  });
  for (const forwarded of ['203.0.113.5', '198.51.100.1, 203.0.113.5, 10.1.2.3']) {
    for (const response of await ask(apiKey, forwarded)) assert.equal(response.status, 200, forwarded);
  }
  for (const forwarded of ['198.51.100.1', '203.0.113.5, 198.51.100.1', '203.0.113.5, unknown', '10.0.0.1']) {
    for (const response of await ask(apiKey, forwarded))
      await assertRefusal(response, { format: 'chat', status: 403, code: 'network_not_allowed' });
  }
});
