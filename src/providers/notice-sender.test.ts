import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createNoticeSender } from './notice-sender.ts';

const breakOff =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-length': '100' }).write('half of it');
    setTimeout(() => response.destroy(), 50);
  };
const answers: Record<string, RequestListener> = {
  '/cut': breakOff(200),
  '/refused': breakOff(500),
  '/endless': (_request, response) => response.writeHead(202).write('x'),
  '/silent': () => undefined,
};
const server = createServer((request, response) => answers[request.url ?? '']?.(request, response));
const sender = createNoticeSender();
let base = '';

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  await sender.close();
  server.closeAllConnections();
  server.close();
});

const upload = (path: string, signal?: AbortSignal) =>
  sender.upload({ method: 'POST', url: base + path, headers: {}, body: 'x', ...(signal && { signal }) });

test('what a receiver has accepted or refused with its status stays so, however its answer ends', async () => {
  assert.deepEqual(await upload('/cut'), { status: 200, text: '' });
  assert.deepEqual(await upload('/endless'), { status: 202, text: '' });
  assert.deepEqual(await upload('/refused'), { status: 500, text: 'half of it' });
});

test('an upload that is not answered ends with its signal', async () => {
  const stop = new AbortController();
  const upset = assert.rejects(upload('/silent', stop.signal), /aborted/);
  stop.abort();
  await upset;
});
