import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { exchangeBytes } from '../../../test/support/raw-exchange.ts';
import { NodeReply } from './node-reply.ts';

/** What the server writes of each answer, by path. */
const ANSWERS: Record<string, (reply: NodeReply) => void> = {
  '/texts': (reply) => {
    reply.begin(200, {});
    reply.write('');
    reply.write('é');
    reply.write('x'.repeat(20));
    reply.end('end');
  },
  '/bytes': (reply) => {
    reply.begin(200, {});
    reply.write(Buffer.from('one'));
    reply.write('two');
    reply.write(new Uint8Array());
    reply.end(Buffer.from('three'));
  },
  '/nothing': (reply) => {
    reply.begin(200, {});
    reply.end('');
  },
  '/length': (reply) => {
    reply.begin(200, { 'content-length': '6' });
    reply.write('one');
    reply.end(Buffer.from('two'));
  },
};

const server = createServer((request, response) => {
  const reply = new NodeReply({ request, response, streams: { count: 0 } }, {}, 1_000);
  ANSWERS[request.url ?? '']?.(reply);
});
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

/** The bodies of the answers to two requests on one connection; only the first if it closes behind that. */
async function ask(path: string, version = '1.1'): Promise<string[]> {
  const { port } = server.address() as AddressInfo;
  const bytes = `GET ${path} HTTP/${version}\r\nhost: x\r\n\r\n`.repeat(2);
  const { text } = await exchangeBytes(`http://127.0.0.1:${port}`, bytes);
  return text.split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/).slice(1);
}

const BODIES: [path: string, body: string][] = [
  ['/texts', '2\r\né\r\n14\r\nxxxxxxxxxxxxxxxxxxxx\r\n3\r\nend\r\n0\r\n\r\n'],
  ['/bytes', '3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n'],
  ['/nothing', '0\r\n\r\n'],
  ['/length', 'onetwo'],
];

for (const [path, body] of BODIES) {
  test(`pieces of an answer are its chunks, and another request may follow: ${path}`, async () => {
    assert.deepEqual(await ask(path), [body, body]);
  });
}

test('a caller of HTTP/1.0 gets no chunks, and the connection ends with the answer', async () => {
  assert.deepEqual(await ask('/bytes', '1.0'), ['onetwothree']);
});
