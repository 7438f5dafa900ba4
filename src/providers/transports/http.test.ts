import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import type { UpstreamFailure } from '#errors';
import { HttpTransport } from './http.ts';

/** What a request comes to at a server that sends some bytes and leaves. */
async function ask(
  bytes: string,
  onRequest?: () => void,
  parts: string[] = [],
): Promise<UpstreamFailure | 'answered'> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      onRequest?.();
      socket.end(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ baseUrl: `http://127.0.0.1:${port}/v1`, connectTimeoutMs: 10_000 });
  const outcome = await send(transport, parts);
  server.close();
  return outcome;
}

async function send(transport: HttpTransport, parts: string[] = []): Promise<UpstreamFailure | 'answered'> {
  const { promise, resolve } = Promise.withResolvers<UpstreamFailure | 'answered'>();
  transport.send(
    { path: '/chat/completions', headers: {}, body: '{}' },
    {
      onHead: () => undefined,
      onData: (part) => parts.push(String(part)),
      onEnd: () => resolve('answered'),
      onFailure: resolve,
    },
  );
  const outcome = await promise;
  await transport.close();
  return outcome;
}

/** What a request comes to whose connection fails with this code. */
async function failWith(code: string): Promise<UpstreamFailure | 'answered'> {
  const transport = new HttpTransport({
    baseUrl: 'https://provider.test/v1',
    connectTimeoutMs: 10_000,
    lookup: (_host, _options, callback) => callback(Object.assign(new Error(code), { code }), []),
  });
  return send(transport);
}

test('a certificate that is not accepted is named as the cause', async () => {
  const cases = [
    ['CERT_HAS_EXPIRED', 'the provider’s certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the provider’s certificate is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the provider’s certificate is not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the provider’s certificate is not trusted'],
    ['ENOTFOUND', 'the provider could not be reached'],
  ] as const;
  for (const [code, message] of cases) {
    const { kind, message: found, detail } = (await failWith(code)) as UpstreamFailure;
    assert.deepEqual([kind, found], ['unreachable', message]);
    assert.equal(detail, code, 'the code is shown once');
  }
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CASES: [name: string, bytes: string, kind: UpstreamFailure['kind'] | 'answered'][] = [
  ['an answer', `${OK}content-length: 2\r\n\r\n{}`, 'answered'],
  ['hints before an answer', `HTTP/1.1 103 Early Hints\r\n\r\n${OK}content-length: 2\r\n\r\n{}`, 'answered'],
  [
    'leave to go on before an answer',
    `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
    'answered',
  ],
  ['nothing', '', 'unreachable'],
  ['half a head', `${OK}content-`, 'unreachable'],
  ['a body that breaks off', `${OK}content-length: 9\r\n\r\n{}`, 'broken'],
  ['no HTTP at all', '{"choices":[]}', 'garbled'],
  ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46', 'garbled'],
  ['another version', 'HTTP/9.9 200 OK\r\n\r\n', 'garbled'],
  ['a header that is none', `${OK}x y\r\n\r\n`, 'garbled'],
  ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`, 'garbled'],
  [
    'a length and chunks',
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`,
    'garbled',
  ],
  ['a chunk of no size', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n{}`, 'garbled'],
  ['headers without end', `${OK}${'x: y\r\n'.repeat(50_000)}\r\n`, 'garbled'],
  ['a flood of leave to go on', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), 'garbled'],
  ['another protocol', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'garbled'],
];

for (const [name, bytes, kind] of CASES) {
  test(`[U17] a provider that sends ${name}: ${kind}`, async () => {
    const outcome = await ask(bytes);
    assert.equal(typeof outcome === 'string' ? outcome : outcome.kind, kind, JSON.stringify(outcome));
  });
}

test('a request that was answered with a status out of place is not sent again', async () => {
  for (const bytes of [
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2),
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  ]) {
    let requests = 0;
    const outcome = await ask(bytes, () => (requests += 1));
    assert.equal(typeof outcome === 'string' ? outcome : outcome.kind, 'garbled');
    assert.equal(requests, 1);
  }
});

test('a body is passed on as it is, whatever it begins with', async () => {
  const text = 'HTTP/1.1 100 Continue';
  const parts: string[] = [];
  await ask(`${OK}content-length: ${text.length}\r\n\r\n${text}`, undefined, parts);
  assert.equal(parts.join(''), text);
});

test('[U22] an answer to half a request ends its upload: the next request is not queued behind it', async (context) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ baseUrl: `http://127.0.0.1:${port}/v1`, connectTimeoutMs: 10_000 });
  context.after(async () => {
    await transport.close();
    server.close();
  });
  const send = async (body: string | Buffer): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const silence = setTimeout(() => resolve('silence'), 60_000);
    let status = 0;
    const onEnd = (): void => resolve(status);
    const onHead = (reported: number): void => void (status = reported);
    transport.send(
      { path: '/chat/completions', headers: {}, body },
      { onHead, onData: () => undefined, onEnd, onFailure: resolve },
    );
    return promise.finally(() => clearTimeout(silence));
  };
  const large = 'ä'.repeat(10 * 1024 * 1024);
  assert.equal(await send(large), 400);
  assert.equal(await send(Buffer.from(large)), 400);
  assert.equal(await send('{}'), 400);
});
