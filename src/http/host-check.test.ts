import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GatewayError } from '#errors';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { parseResponse } from '../../test/support/raw-client.ts';
import { exchangeBytes } from '../../test/support/raw-exchange.ts';
import { createHostCheck } from './host-check.ts';

const CHAT = '/v1/chat/completions';

function serves(
  rules: Parameters<typeof createHostCheck>[0],
  host: string | undefined,
  path = CHAT,
): boolean {
  try {
    createHostCheck(rules)(host, path);
    return true;
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'unknown_host' && error.status === 421);
    return false;
  }
}

test('where only this machine can call, its own names are served with any port, and no others', () => {
  const rules = { isLocal: true, hosts: [] };
  for (const host of [
    'localhost',
    'LOCALHOST:8787',
    'localhost.',
    '127.0.0.1:9',
    '127.1.2.3',
    '[::1]:8787',
    undefined,
  ])
    assert.equal(serves(rules, host), true, host);
  for (const host of [
    'evil.example',
    'evil.example:8787',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '192.168.1.5:8787',
    'localhost:8787@evil.example',
    'localhost, evil.example',
    'localhost:evil',
    '[::1',
    ' ',
  ])
    assert.equal(serves(rules, host), false, host);
});

test('`server.hosts` adds names, addresses and all names below one', () => {
  const rules = { isLocal: true, hosts: ['Sluice.example', '*.team.example', '10.0.0.7', '2001:db8::7'] };
  for (const host of [
    'sluice.example:443',
    'a.b.team.example',
    '10.0.0.7:8787',
    '[2001:db8::7]:8787',
    'localhost',
  ])
    assert.equal(serves(rules, host), true, host);
  for (const host of ['team.example', 'eviteam.example', 'sluice.example.evil.example', '10.0.0.8'])
    assert.equal(serves(rules, host), false, host);
});

test('on a public address every host is served until `server.hosts` names some, and * serves them all', () => {
  assert.equal(serves({ isLocal: false, hosts: [] }, 'anything.example'), true);
  assert.equal(serves({ isLocal: false, hosts: ['sluice.example'] }, 'anything.example'), false);
  assert.equal(serves({ isLocal: true, hosts: ['*'] }, 'anything.example'), true);
});

test('a probe may ask for health by the address of the machine, but not by a foreign name', () => {
  const rules = { isLocal: false, hosts: ['sluice.example'] };
  for (const path of ['/', '/livez', '/readyz']) {
    assert.equal(serves(rules, '10.1.2.3:8787', path), true, path);
    assert.equal(serves(rules, '[fd00::3]:8787', path), true, path);
    assert.equal(serves(rules, 'evil.example', path), false, path);
  }
  assert.equal(serves(rules, '10.1.2.3:8787'), false);
});

describe('a gateway on the loopback', () => {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess();
  });
  after(() => gateway[Symbol.asyncDispose]());

  const ask = async (target: string, head: string): Promise<{ status: number; body: string }> =>
    parseResponse(
      (await exchangeBytes(gateway.url, `${target} HTTP/1.1\r\n${head}connection: close\r\n\r\n`)).text,
    );

  test('refuses a foreign host in the format of the address, with the setting named, and asks no provider', async () => {
    const key = `authorization: Bearer ${gateway.account.apiKey}\r\n`;
    for (const [path, shape] of [
      ['/v1/messages', /"type":"error","error":\{"type":"invalid_request_error"/],
      [CHAT, /"code":"unknown_host"/],
      ['/v1/responses', /"code":"unknown_host"/],
      ['/v1beta/models/gemini-model:generateContent', /"reason":"UNKNOWN_HOST"/],
      ['/admin/v1/organizations', /"code":"unknown_host"/],
    ] as const) {
      const answer = await ask(`POST ${path}`, `host: evil.example\r\n${key}`);
      assert.equal(answer.status, 421, path);
      assert.match(answer.body, shape, path);
      assert.match(answer.body, /evil\.example.*server\.hosts/, path);
    }
    assert.equal(gateway.upstream.truths.length, 0);
  });

  test('a second host is refused: a proxy may have checked that one', async () => {
    for (const second of ['host: evil.example\r\n', 'Host: localhost\r\n', 'HOST:\r\n']) {
      const answer = await ask('GET /v1/models', `host: localhost\r\n${second}`);
      assert.equal(answer.status, 400, second);
      assert.match(answer.body, /more than one Host header/);
    }
  });

  test('a proxy’s header does not override the host', async () => {
    const forwarded = 'x-forwarded-host: localhost\r\nforwarded: host=localhost\r\n';
    assert.equal((await ask('GET /v1/models', `host: evil.example\r\n${forwarded}`)).status, 421);
    assert.equal(
      (await ask('GET /v1/models', 'host: localhost\r\nx-forwarded-host: evil.example\r\n')).status,
      200,
    );
  });
});
