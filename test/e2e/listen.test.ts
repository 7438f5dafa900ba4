import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spawnCommand } from '../support/command-line.ts';
import { createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { RawClient } from '../support/raw-client.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { answer } from '../support/upstream-replies.ts';

let upstream: MockUpstream;
let config: string;

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'fine' }) });
  config = createProviderConfig(upstream.baseUrl, {});
});

after(() => upstream.close());

test('a public address is refused unless it is enabled', async () => {
  using folder = createTemporaryFolder();
  const { code, stderr } = await spawnCommand([
    'start',
    '--host',
    '0.0.0.0',
    '--port',
    '0',
    '--data-dir',
    `${folder.path}/data`,
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /0\.0\.0\.0 is not an address of this machine alone.*--public/);
  await using gateway = await startGateway({ config, flags: ['--host', '0.0.0.0', '--public'] });
  assert.equal(
    (
      await gateway.post('/v1/chat/completions', {
        model: 'mock-model',
        messages: [{ role: 'user', content: 'hello' }],
      })
    ).status,
    200,
  );
});

test('names in `server.hosts` are served besides the machine’s own; others are not', async () => {
  await using gateway = await startGateway({ config: `server: { hosts: [sluice.example] }\n${config}` });
  const ask = async (host: string): Promise<number> => {
    using client = await RawClient.open(gateway.url);
    client.send(`GET /v1/models HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    return (await client.readResponse()).status;
  };
  const port = new URL(gateway.url).port;
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'sluice.example'])
    assert.equal(await ask(host), 200, host);
  assert.equal(await ask(`evil.example:${port}`), 421);
  const { json } = await gateway.cli('config', 'check', '--config', gateway.configFile);
  assert.match(JSON.stringify(json), /"server\.hosts","value":"sluice\.example"/);
});
