import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { paceReading } from './pace-reading.ts';

const MEBIBYTE = 1024 * 1024;
const REQUESTS = 40;

test('a turn of the event loop reads a little of each long body, and of a few of them', async (t) => {
  let turn = 0;
  const advance = (): void => {
    turn += 1;
    immediate = setImmediate(advance);
  };
  let immediate = setImmediate(advance);
  t.after(() => clearImmediate(immediate));
  /** By turn: the bytes of each request beyond its first 256 KiB. */
  const turns = new Map<number, Map<IncomingMessage, number>>();
  const server = createServer((request, response) => {
    let bytes = 0;
    paceReading(request);
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes - part.length < MEBIBYTE / 4) return;
      const read = turns.get(turn) ?? new Map<IncomingMessage, number>();
      turns.set(turn, read.set(request, (read.get(request) ?? 0) + part.length));
    });
    request.on('end', () => response.end(String(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (): Promise<string> => {
    const request = send({ port, host: '127.0.0.1', method: 'POST', agent: false });
    request.end(Buffer.alloc(4 * MEBIBYTE));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return (await response.toArray()).join('');
  };
  const answers = await Promise.all(Array.from({ length: REQUESTS }, ask));
  assert.deepEqual(new Set(answers), new Set([String(4 * MEBIBYTE)]));
  for (const read of turns.values()) {
    const most = Math.max(...read.values());
    assert.ok(most <= MEBIBYTE / 4, `${most} bytes of one body in a turn`);
    assert.ok(read.size <= REQUESTS / 2, `${read.size} bodies in a turn`);
  }
});
