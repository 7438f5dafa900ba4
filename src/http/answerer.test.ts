import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { sendPatiently } from '../../test/support/send-patiently.ts';
import { exchangeBytes, toResponse } from '../../test/support/raw-exchange.ts';
import { RawClient, parseResponse } from '../../test/support/raw-client.ts';
import { assertRefusal, assertRevealsNothing } from '../../test/support/refusal.ts';
import { shareGateway } from '../../test/support/share-gateway.ts';

const ASK = { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] };

const gateway = shareGateway();
afterEach(async () => {
  assert.equal((await gateway.request('/livez')).status, 200, 'the process runs');
});

const countAnswers = (received: string) => received.split('HTTP/1.1 ').length - 1;
const exchange = (bytes: string | Uint8Array) => exchangeBytes(gateway.url, bytes);

function composePost(path: string, body: string, extra = ''): string {
  const head = `host: x\r\nauthorization: Bearer ${gateway.account.apiKey}\r\ncontent-type: application/json\r\n${extra}`;
  return `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test('every answer has its own request id, including refusals of the server', async () => {
  const ids: (string | null)[] = [];
  for (const [path, init] of [
    ['/', {}],
    ['/livez', { method: 'HEAD' }],
    ['/v1/models', {}],
    ['/v1/key', { headers: { authorization: '' } }],
    ['/nothing', {}],
    ['/v1/key', { method: 'DELETE' }],
  ] as [string, RequestInit][]) {
    const { headers } = await gateway.request(path, init);
    assert.equal(headers.get('request-id'), headers.get('x-request-id'), path);
    ids.push(headers.get('x-request-id'));
  }
  for (const body of [ASK, { ...ASK, stream: true }, 'nonsense']) {
    const response = await gateway.post('/v1/messages', body);
    await response.arrayBuffer();
    assert.equal(response.headers.get('request-id'), response.headers.get('x-request-id'));
    ids.push(response.headers.get('x-request-id'));
  }
  for (const bytes of [
    'nonsense\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
    `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}`,
    'GET /livez HTTP/1.1\r\n\r\n',
  ])
    ids.push(parseResponse((await exchange(bytes)).text).headers['x-request-id'] ?? null);
  for (const id of ids) assert.match(id ?? '', /^req_\w{10,}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('the client’s request id is recorded in addition to the gateway’s', async () => {
  const headers = { 'x-request-id': 'req_mine', 'user-agent': 'agent/1' };
  for (const [path, body] of [
    ['/v1/messages', ASK],
    ['/v1/chat/completions', {}],
  ] as const) {
    const response = await gateway.post(path, body, headers);
    await response.arrayBuffer();
    assert.notEqual(response.headers.get('x-request-id'), 'req_mine');
    const row = await gateway.getRow(response);
    assert.equal(row.clientRequestId, 'req_mine');
    assert.equal(row.userAgent, 'agent/1');
    assert.equal(gateway.upstream.find('req_mine').length, 0);
  }
});

test('x-api-key and a bearer mean the same everywhere; two that differ are refused everywhere', async () => {
  const { apiKey } = gateway.account;
  const { apiKey: other } = await gateway.createAccount();
  const paths = [
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/chat/completions',
    '/v1/key',
    '/v1/models',
  ];
  for (const path of paths) {
    const ask = (headers: Record<string, string>) =>
      path.endsWith('key') || path.endsWith('models')
        ? gateway.request(path, { headers })
        : gateway.post(path, ASK, headers);
    assert.equal((await ask({ 'x-api-key': apiKey })).status, 200, path);
    assert.equal((await ask({ authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey })).status, 200, path);
    const response = await ask({ authorization: `Bearer ${apiKey}`, 'x-api-key': other });
    const format = path.startsWith('/v1/messages') ? 'messages' : 'chat';
    const message = await assertRefusal(response, { format, status: 401, code: 'conflicting_credentials' });
    assert.ok(!message.includes(apiKey) && !message.includes(other));
  }
});

test('a repeated credential header must have the same value', async () => {
  const { apiKey } = gateway.account;
  const { apiKey: other } = await gateway.createAccount();
  const ask = async (...lines: string[]) =>
    toResponse(
      (
        await exchange(
          `GET /v1/key HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
        )
      ).text,
    );
  const [mine, theirs] = [`authorization: Bearer ${apiKey}`, `Authorization: Bearer ${other}`];
  assert.equal((await ask(mine, mine)).status, 200);
  for (const lines of [
    [mine, theirs],
    [theirs, mine],
    [mine, 'AUTHORIZATION: Basic abc'],
    [mine, theirs, `x-api-key: ${apiKey}`],
    [`x-api-key: ${apiKey}`, `X-Api-Key: ${other}`],
    [mine, `x-api-key: ${apiKey}`, `x-api-key: ${other}`],
  ])
    assert.equal((await ask(...lines)).status, 401, lines.join());
});

/** Every byte allowed in a header; whitespace at either end is not part of the value. */
const HEADER_BYTES = Array.from({ length: 224 }, (_, at) => 0x20 + at).filter((byte) => byte !== 0x7f);

/** All at once would overload a slow machine. */
const AT_ONCE = 16;

async function askEach<Answer>(ask: (byte: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < HEADER_BYTES.length; at += AT_ONCE)
    answers.push(...(await Promise.all(HEADER_BYTES.slice(at, at + AT_ONCE).map(ask))));
  return answers;
}

test('no byte in a header is a fault of the gateway', async () => {
  const names = ['x-request-id', 'user-agent', 'anthropic-beta', 'traceparent', 'accept', 'x-no-cache'];
  const body = JSON.stringify({ ...ASK, model: 'messages-model' });
  const ask = async (byte: number): Promise<Response> => {
    const junk = names.map((name) => `${name}: a${String.fromCharCode(byte)}b\r\n`).join('');
    const bytes = composePost('/v1/messages', body, `connection: close\r\n${junk}`);
    return sendPatiently(async () => toResponse((await exchange(Buffer.from(bytes, 'latin1'))).text));
  };
  const responses = await askEach(ask);
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  const last = responses.at(-1);
  assert.ok(last);
  assert.equal((await gateway.getRow(last)).clientRequestId, 'aÿb');
});

test('a control character in a header is no HTTP', async () => {
  const bytes = [...Array(32).keys(), 0x7f].filter((byte) => byte !== 0x09); // a tab counts as whitespace
  for (const byte of bytes) {
    const request = `GET /livez HTTP/1.1\r\nhost: x\r\nx-request-id: a${String.fromCharCode(byte)}b\r\n\r\n`;
    const { text, ended } = await exchange(Buffer.from(request, 'latin1'));
    assert.match(text, /^HTTP\/1\.1 400 /, `${byte}`);
    assert.equal(countAnswers(text), 1, `${byte}`);
    assert.ok(ended);
  }
});

test('garbage as a credential is a 401', async () => {
  const ask = async (byte: number): Promise<number> => {
    const junk = `slc_${String.fromCharCode(byte).repeat(55)}`;
    const request = `GET /v1/key HTTP/1.1\r\nhost: x\r\nx-api-key: ${junk}\r\nconnection: close\r\n\r\n`;
    return parseResponse((await exchange(Buffer.from(request, 'latin1'))).text).status;
  };
  assert.deepEqual(new Set(await askEach(ask)), new Set([401]));
});

test('pages of other origins cannot read answers, and no header reveals the server’s software', async () => {
  for (const path of ['/', '/v1/key', '/v1/models', '/nothing', '/v1/messages']) {
    const response = await gateway.request(path, { headers: { origin: 'https://evil.example' } });
    assertRevealsNothing(await response.text());
    for (const name of ['access-control-allow-origin', 'server', 'x-powered-by', 'set-cookie'])
      assert.equal(response.headers.get(name), null);
  }
});

test('no key ever reaches the log', () => {
  const log = gateway.logLines.join('\n');
  assert.ok(log.length > 0);
  assert.ok(!log.includes(gateway.account.apiKey) && !log.includes('mock-key'));
});

test('a refusal reaches a client that is still sending, and the rest of its body does not reset the connection', async () => {
  // It may still send when the gateway has ended its side.
  using client = await RawClient.open(gateway.url, { halfOpen: true });
  const faults: unknown[] = [];
  client.socket.on('error', (error) => faults.push(error));
  const half = Buffer.alloc(4 * 1024 * 1024, 'x');
  const head = `POST /nothing HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * half.length}\r\n\r\n`;
  client.send(head);
  client.send(half);
  assert.equal((await client.readResponse()).status, 404);
  await new Promise((resolve) => client.socket.write(half, resolve));
  await client.waitForEnd();
  assert.deepEqual(faults, []);
});
