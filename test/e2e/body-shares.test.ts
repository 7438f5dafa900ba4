import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInProcess } from '../support/in-process.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const MEBIBYTE = 1024 * 1024;

for (const path of ['/v1/messages', '/v1/messages/count_tokens', '/v1/videos', '/v1/session_tokens']) {
  test(`an organization that never ends its bodies at ${path} leaves room for those of others`, async () => {
    await using gateway = await openInProcess({ limits: { openBodyBytes: 4 * MEBIBYTE } });
    const [attacker, other] = [await gateway.createAccount(), await gateway.createAccount()];
    using clients = new DisposableStack();
    const open = async (size: number): Promise<void> => {
      const client = clients.use(await RawClient.open(gateway.url));
      const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${attacker.apiKey}\r\ncontent-type: application/json`;
      client.send(`${head}\r\ncontent-length: ${size}\r\n\r\n${' '.repeat(size - 1)}`);
      await until('it is sent', () => client.socket.writableLength === 0 || client.ended);
      // The gateway, in this process, has read it by then.
      for (let turn = 0; turn < 100; turn += 1) await (await gateway.request('/livez')).text();
    };
    // Each takes half of what is left.
    for (let size = 2 * MEBIBYTE; size >= MEBIBYTE / 8; size /= 2) await open(size);
    const response = await gateway.post(
      '/v1/chat/completions',
      { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'a'.repeat(MEBIBYTE / 4) }] },
      { 'x-api-key': other.apiKey },
    );
    assert.equal(response.status, 200, await response.text());
  });
}
