import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchangeBytes, toResponse } from '../../test/support/raw-exchange.ts';
import { RawClient, parseResponse } from '../../test/support/raw-client.ts';
import { assertRefusal } from '../../test/support/refusal.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { shareGateway } from '../../test/support/share-gateway.ts';

const LIMITS = { headersMs: 2_000, bodyMs: 2_000 };
const ASK = { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] };
const MAX_BYTES = 32 * 1024 * 1024;

const gateway = shareGateway({ limits: LIMITS });
afterEach(async () => {
  gateway.setDraining(false);
  assert.equal((await gateway.request('/livez')).status, 200, 'the process runs');
});

const asKey = () => `authorization: Bearer ${gateway.account.apiKey}\r\n`;
const readStatuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const countAnswers = (received: string) => readStatuses(received).length;
const exchange = (bytes: string | Uint8Array) => exchangeBytes(gateway.url, bytes);

function composePost(path: string, body: string, extra = ''): string {
  const head = `host: x\r\n${asKey()}content-type: application/json\r\n${extra}`;
  return `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const GARBAGE: [string, string, number][] = [
  ['no request line', 'nonsense\r\n\r\n', 400],
  ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['zeros', '\0'.repeat(64), 400],
  ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['a method in lower case', 'get / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['another protocol', 'GET / ICE/1.0\r\n\r\n', 400],
  ['no target', 'GET  HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['a target that is no path', 'GET v1/key HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['a version that is none', 'GET / HTTP/x.y\r\nhost: x\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost x\r\n\r\n', 400],
  ['a blank before the colon', 'GET / HTTP/1.1\r\nhost : x\r\n\r\n', 400],
  ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n', 400],
  ['a folded header', 'GET / HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\nx y: z\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
  ['a length below zero', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', 400],
  ['a length with a sign', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +1\r\n\r\na', 400],
  ['a length in hexadecimal', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0x1\r\n\r\na', 400],
  [
    'a length past all numbers',
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${'9'.repeat(40)}\r\n\r\na`,
    400,
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'chunks that are not the last coding',
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'an unknown coding',
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: x\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'a chunk size that is none',
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['a header of a megabyte', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(1_000_000)}\r\n\r\n`, 431],
  ['a flood of headers', `GET / HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(50_000)}\r\n`, 431],
  ['a target of a megabyte', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
];

for (const [name, bytes, status] of GARBAGE) {
  test(`bytes that are no request, ${name}: one plain ${status}, and the connection ends`, async () => {
    const { text, ended } = await exchange(Buffer.from(bytes, 'latin1'));
    const code = status === 431 ? 'headers_too_large' : 'malformed_http';
    assert.ok(ended);
    assert.equal(countAnswers(text), 1, text);
    const { headers } = parseResponse(text);
    assert.equal(headers['connection'], 'close');
    await assertRefusal(toResponse(text), { format: 'chat', status, code });
  });
}

test('[C8] a request inside a body that is too large is never served', async () => {
  const inner = `GET /v1/key HTTP/1.1\r\nhost: x\r\n${asKey()}\r\n`;
  const chunk = `${(MAX_BYTES + inner.length).toString(16)}\r\n${' '.repeat(MAX_BYTES)}${inner}\r\n`;
  const cases: [string, string][] = [
    [`content-length: ${MAX_BYTES + 1}\r\n`, inner.repeat(100)],
    ['content-length: 99999999999\r\n', inner],
    ['transfer-encoding: chunked\r\n', chunk],
  ];
  await Promise.all(
    cases.map(async ([length, body]) => {
      const head = `POST /v1/messages HTTP/1.1\r\nhost: x\r\n${asKey()}content-type: application/json\r\n`;
      const { text, ended } = await exchange(`${head}${length}\r\n${body}`);
      assert.equal(countAnswers(text), 1, text.slice(0, 500));
      assert.ok(ended);
      await assertRefusal(toResponse(text), { format: 'messages', status: 413, code: 'body_too_large' });
    }),
  );
});

test('[C8] a request inside an unread body is never served', async () => {
  const inner = `GET /v1/key HTTP/1.1\r\nhost: x\r\n${asKey()}\r\n`;
  const long = 'content-length: 100000\r\n';
  for (const [head, status] of [
    ['POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n', 401],
    [`POST /v1/messages HTTP/1.1\r\nhost: x\r\n${asKey()}content-type: text/plain\r\n`, 415],
    ['POST /nothing HTTP/1.1\r\nhost: x\r\n', 404],
    ['POST /livez HTTP/1.1\r\nhost: x\r\n', 405],
    ['GET /livez HTTP/1.1\r\nhost: x\r\n', 200],
  ] as const) {
    const { text, ended } = await exchange(`${head}${long}\r\n${inner}`);
    assert.equal(parseResponse(text).status, status);
    assert.equal(countAnswers(text), 1, text);
    assert.ok(ended);
  }
});

test('garbage after a request that is being answered ends the connection and does not change the answer', async () => {
  gateway.upstream.script({ reply: answer({ text: 'word '.repeat(50), chunks: 50 }, 20) });
  using client = await RawClient.open(gateway.url);
  client.send(composePost('/v1/messages', JSON.stringify({ ...ASK, stream: true })));
  await client.waitFor((received) => received.includes('content_block_delta'));
  client.send('\0\0garbage\r\n\r\n');
  const text = await client.waitForEnd();
  assert.equal(countAnswers(text), 1);
  assert.doesNotMatch(text, /malformed_http|message_stop/);
});

test('requests behind one another on a connection are answered in order', async () => {
  const requests = ['/livez', '/v1/key', '/nothing', '/v1/models', '/livez'];
  const bytes = requests.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n${asKey()}\r\n`).join('');
  using client = await RawClient.open(gateway.url);
  client.send(bytes);
  const text = await client.waitFor((received) => countAnswers(received) === requests.length);
  assert.deepEqual(readStatuses(text), [200, 200, 404, 200, 200]);
  assert.equal(client.ended, false);
});

test('a refusal whose request was read keeps the connection', async () => {
  using client = await RawClient.open(gateway.url);
  const bad = [
    composePost('/v1/messages', 'nonsense'),
    composePost('/v1/messages', '{}', 'content-encoding: br\r\n'),
  ];
  for (const [at, bytes] of [...bad, composePost('/v1/messages', JSON.stringify(ASK))].entries()) {
    client.send(bytes);
    await client.waitFor((received) => countAnswers(received) === at + 1);
  }
  const statuses = readStatuses(client.received);
  assert.deepEqual(statuses, [400, 415, 200]);
});

test('a client that expects 100-continue gets it; any other expectation is ignored', async () => {
  const body = JSON.stringify(ASK);
  using client = await RawClient.open(gateway.url);
  const whole = composePost('/v1/messages', body, 'expect: 100-continue\r\n');
  client.send(whole.slice(0, -body.length));
  await client.waitFor((received) => received.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
  client.send(body);
  await client.waitFor((received) => received.includes('HTTP/1.1 200 OK'));
  const { text } = await exchange(composePost('/v1/messages', body, 'expect: a-miracle\r\n'));
  assert.equal(parseResponse(text).status, 200);
});

test('incomplete headers are answered with 408, and the connection is closed', async () => {
  using client = await RawClient.open(gateway.url);
  client.send('GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: ');
  const text = await client.waitForEnd();
  await assertRefusal(toResponse(text), { format: 'chat', status: 408, code: 'request_timeout' });
});

test('a body that drips is a 408 as if it had stopped', async () => {
  using client = await RawClient.open(gateway.url);
  const startedMs = performance.now();
  client.send(composePost('/v1/messages', ' '.repeat(1_000)).slice(0, -1_000));
  await client.drip(' '.repeat(1_000), 20);
  const text = await client.waitForEnd();
  assert.ok(performance.now() - startedMs < 10 * LIMITS.bodyMs);
  await assertRefusal(toResponse(text), { format: 'messages', status: 408, code: 'request_timeout' });
});

test('a body that keeps arriving is accepted, however long it takes', async () => {
  using client = await RawClient.open(gateway.url);
  const body = `${JSON.stringify(ASK)}${' '.repeat(120_000)}`;
  const bytes = composePost('/v1/messages', body);
  for (let at = 0; at < bytes.length; at += 10_000) {
    client.send(bytes.slice(at, at + 10_000));
    await sleep(LIMITS.bodyMs / 10);
  }
  assert.equal((await client.readResponse()).status, 200);
});

test('a gateway that is shutting down finishes open requests and closes its connections', async () => {
  gateway.setDraining(true);
  const { text, ended } = await exchange(composePost('/v1/messages', JSON.stringify(ASK)));
  assert.equal(parseResponse(text).status, 200);
  assert.equal(parseResponse(text).headers['connection'], 'close');
  assert.ok(ended);
});

test('old and sparse HTTP is understood', async () => {
  for (const bytes of ['GET /livez HTTP/1.0\r\n\r\n', '\r\n\r\nGET /livez HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const { status, body } = parseResponse((await exchange(bytes)).text);
    assert.equal(status, 200);
    assert.equal(body, '{"status":"ok"}');
  }
});
