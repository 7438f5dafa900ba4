import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { SHORT_PARTS, proveCopied } from '../../../test/support/short-parts.ts';
import { BodyMemory } from './body-memory.ts';
import { readBody } from './read-body.ts';

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A server that answers with the length and hash of what it read. */
async function openReader(t: TestContext): Promise<number> {
  const memory = new BodyMemory();
  const server = createServer((request, response) => {
    const openShare = (announced: number) => memory.open(announced);
    void readBody(request, { limitMs: 60_000, openShare }).then(
      (body) => response.end(`${body.length} ${hash(body)}`),
      (error: unknown) => response.end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('bodies of any length are read as they were sent, announced or not', async (t) => {
  const port = await openReader(t);
  for (const length of [0, 1, 511 * 1024, 513 * 1024, 5_000_000, 33_554_432]) {
    const body = randomBytes(length);
    for (const headers of [{ 'content-length': String(length) }, { 'transfer-encoding': 'chunked' }]) {
      const request = send({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
      request.end(body);
      const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
      assert.equal(await text(response as never), `${length} ${hash(body)}`);
    }
  }
});

test('a body in chunks of a byte takes little more memory than its bytes', async () => {
  const request = Object.assign(new PassThrough(), { headers: {} });
  const openShare = (announced: number) => new BodyMemory().open(announced);
  const body = readBody(request as never, { limitMs: 60_000, openShare });
  await proveCopied((part) => request.write(part));
  request.end();
  assert.deepEqual(await body, SHORT_PARTS);
});
