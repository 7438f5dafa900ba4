import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { STRICT_ADDRESSES } from '#base';
import { createDocumentReader } from './document-reader.ts';

const answers: Record<string, RequestListener> = {
  '/ten': (_request, response) => response.end('ten bytes.'),
  '/gone': (_request, response) => response.writeHead(410).end('x'.repeat(100_000)),
  '/moved': (_request, response) => response.writeHead(301, { location: 'https://other.example/x' }).end(),
  '/packed': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('packed'),
  '/slow': (_request, response) => response.writeHead(200).write('x'),
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  },
};
const server = createServer((request, response) => answers[request.url ?? '']?.(request, response));
const rules = { ...STRICT_ADDRESSES, trustedHosts: ['127.0.0.1'] };
let base = '';

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test('a document is read whole or not at all', async () => {
  const reader = createDocumentReader(rules);
  assert.equal((await reader.read(`${base}/ten`, 10)).toString(), 'ten bytes.');
  await assert.rejects(reader.read(`${base}/ten`, 9), /larger than 9 bytes/);
  await assert.rejects(reader.read(`${base}/gone`, 10), /status 410/);
  await assert.rejects(
    reader.read(`${base}/moved`, 10),
    /redirects to other\.example, which is not followed/,
  );
  await assert.rejects(reader.read(`${base}/packed`, 10), /compresses it \(gzip\), which was not asked for/);
  await assert.rejects(reader.read(`${base}/cut`, 1_000));
  assert.equal((await reader.read(`${base}/ten`, 10)).toString(), 'ten bytes.');
  await reader.close();
});

test('what does not come in time is said in plain words', async (t) => {
  const { timeout } = AbortSignal;
  t.mock.method(AbortSignal, 'timeout', (limitMs: number) => timeout.call(AbortSignal, limitMs / 300));
  const reader = createDocumentReader(rules);
  await assert.rejects(reader.read(`${base}/slow`, 10), /did not send all of it within 30 seconds/);
  await reader.close();
});

test('a private address is not called unless the operator trusts its host, whatever name leads to it', async () => {
  const reader = createDocumentReader({ ...STRICT_ADDRESSES, resolveHost: async () => ['10.0.0.1'] });
  await assert.rejects(reader.read(`${base}/ten`, 10), /must be an https address/);
  await assert.rejects(reader.read('https://10.0.0.1/ten', 10), /public internet/);
  await assert.rejects(reader.read('https://inside.example.com/ten', 10), /address that is not public/);
  await reader.close();
});
