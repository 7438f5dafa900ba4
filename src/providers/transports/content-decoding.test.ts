import type { HttpHeaders } from '#base';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type RequestListener, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import type { UpstreamFailure } from '#errors';
import type { UpstreamCall } from '../transport.ts';
import { until } from '../../../test/support/until.ts';
import { HttpTransport } from './http.ts';

const TEXT = JSON.stringify({ said: 'Grüße 🙂 '.repeat(5_000) });

/** What the sink of one request received so far. */
interface Received {
  headers: HttpHeaders;
  text: string;
  bytes: number;
  ended: boolean;
  failure?: UpstreamFailure;
  call: UpstreamCall;
}

async function ask(context: TestContext, listener: RequestListener, mostBytes = Infinity): Promise<Received> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ baseUrl: `http://127.0.0.1:${port}/v1`, connectTimeoutMs: 10_000 });
  context.after(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  const received: Omit<Received, 'call'> = { headers: {}, text: '', bytes: 0, ended: false };
  const parts: Buffer[] = [];
  const call = transport.send(
    { path: '/x', headers: {}, body: '{}' },
    {
      onHead: (_status, headers) => void (received.headers = headers),
      onData: (bytes) => {
        received.bytes += bytes.length;
        if (received.bytes > mostBytes) {
          call.abort();
          return;
        }
        parts.push(bytes);
        received.text = Buffer.concat(parts).toString();
      },
      onEnd: () => void (received.ended = true),
      onFailure: (failure) => void (received.failure = failure),
    },
  );
  return Object.assign(received, { call });
}

const sendAll = (encoding: string, bytes: Buffer) => (_request: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
  response.end(bytes);
};

const WHOLES: [encoding: string, bytes: Buffer][] = [
  ['gzip', gzipSync(TEXT)],
  ['X-GZIP', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ['identity', Buffer.from(TEXT)],
];

for (const [encoding, bytes] of WHOLES) {
  test(`an answer with an unrequested ${encoding} encoding is decoded`, async (context) => {
    const received = await ask(context, sendAll(encoding, bytes));
    await until('the answer ends', () => received.ended || received.failure !== undefined);
    assert.equal(received.failure, undefined);
    assert.equal(received.text, TEXT);
    if (encoding !== 'identity') assert.equal(received.headers['content-encoding'], undefined);
  });
}

const STREAMS = [
  ['gzip', () => createGzip({ flush: constants.Z_SYNC_FLUSH })],
  ['br', () => createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', () => createZstdCompress({ flush: constants.ZSTD_e_flush })],
] as const;

for (const [encoding, create] of STREAMS) {
  test(`events of a ${encoding} stream are read as they arrive`, async (context) => {
    const packer = create();
    const received = await ask(context, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      packer.pipe(response);
      packer.write('data: 1\n\n');
    });
    for (let count = 1; count <= 5; count += 1) {
      await until(`event ${count}`, () => received.text.endsWith(`data: ${count}\n\n`));
      if (count < 5) packer.write(`data: ${count + 1}\n\n`);
    }
    assert.equal(received.ended, false);
    packer.end();
    await until('the stream ends', () => received.ended);
  });
}

test('[U19] an answer of gigabytes in a few bytes is stopped where the reader stops it', async (context) => {
  const bomb = zstdCompressSync(Buffer.alloc(256 * 1024 * 1024));
  assert.ok(bomb.length < 100_000);
  const received = await ask(context, sendAll('zstd', bomb), 1_000_000);
  await until('the reader has had enough', () => received.bytes > 1_000_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(received.bytes < 2_000_000, `${received.bytes} bytes`);
  assert.equal(received.ended, false);
});

test('a pause holds decoded bytes back, and nothing is lost', async (context) => {
  const received = await ask(context, sendAll('gzip', gzipSync(TEXT)));
  received.call.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  received.call.resume();
  await until('the answer ends', () => received.ended);
  assert.equal(received.text, TEXT);
});

test('bytes that do not match their encoding are garbled, and truncated ones are a cut answer', async (context) => {
  const cases: [encoding: string, bytes: Buffer, kind: string][] = [
    ['gzip', Buffer.from('{}'), 'garbled'],
    ['br', Buffer.from('{"a":1}'), 'garbled'],
    ['compress', Buffer.from('{}'), 'garbled'],
    ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('{}'))), 'garbled'],
    ['gzip', gzipSync(TEXT).subarray(0, 100), 'broken'],
  ];
  for (const [encoding, bytes, kind] of cases) {
    const received = await ask(context, sendAll(encoding, bytes));
    await until('it fails', () => received.failure !== undefined);
    assert.equal(received.failure?.kind, kind, encoding);
    assert.equal(received.ended, false);
  }
});
