import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../../../test/support/in-process.ts';

test('a long list is compressed where the client takes gzip, and is the same', async () => {
  await using gateway = await openInProcess();
  const body = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  for (let at = 0; at < 8; at += 1)
    await (await gateway.post('/v1/chat/completions', body, { 'x-gateway-client': `agent-${at}/1` })).text();
  const { secret } = await gateway.accounts.directory.createAdminKey({
    label: 'reader',
    scopes: ['logs:read'],
  });
  const read = async (encoding: string, path = '/admin/v1/logs'): Promise<[string | null, string]> => {
    const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': encoding };
    const response = await fetch(`${gateway.url}${path}`, { headers });
    assert.equal(response.headers.get('vary'), 'accept-encoding');
    return [response.headers.get('content-encoding'), await response.text()];
  };
  const [plain, text] = await read('identity');
  assert.equal(plain, null);
  assert.deepEqual(await read('br, gzip'), ['gzip', text]);
  assert.equal((await read('gzip;q=0'))[0], null);
  assert.equal((await read('gzip', '/admin/v1/logs?session_id=none'))[0], null, 'short');
});
