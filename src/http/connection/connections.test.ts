import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/until.ts';
import { answer } from '../../../test/support/upstream-replies.ts';
import { Connections } from './connections.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';

const MOST = 4;
/** Longer than a connection counts as fresh. */
const RESTED_MS = 1_100;
const GET = 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n';

const clients: RawClient[] = [];

const gateway = shareGateway({ maxConnections: MOST });
beforeEach(() => {
  gateway.upstream.script({ reply: answer({ text: 'w '.repeat(400), chunks: 400 }, 50) });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client[Symbol.dispose]();
  await until('all are gone', () => gateway.upstream.connections === 0);
});

async function open(): Promise<RawClient> {
  const client = await RawClient.open(gateway.url);
  clients.push(client);
  return client;
}

/** A stream that lasts longer than the test. */
async function work(path = '/v1/chat/completions'): Promise<RawClient> {
  const client = await open();
  const body = {
    model: 'chat-model',
    max_tokens: 16,
    stream: true,
    messages: [{ role: 'user', content: 'go' }],
  };
  client.post(path, body, { authorization: `Bearer ${gateway.account.apiKey}` });
  return client;
}

async function isStreaming(client: RawClient): Promise<void> {
  await until('it streams', () => client.received.includes('data:'));
}

test('connections that rest give way to new ones, the longest at rest first', async () => {
  const kept = await open();
  kept.send(GET);
  assert.equal((await kept.readResponse()).status, 200);
  const silent: RawClient[] = [];
  for (let count = 1; count < MOST; count += 1) silent.push(await open());
  await sleep(RESTED_MS);
  const streaming = await work();
  await isStreaming(streaming);
  assert.ok(kept.ended, 'the one whose request is over');
  assert.deepEqual(
    silent.map(({ ended }) => ended),
    [false, false, false],
  );
  for (let count = 0; count < 3 * MOST; count += 1) await open();
  await until('they gave way', () => silent.every(({ ended }) => ended));
  assert.equal(streaming.ended, false, 'what is at work stays');
  const last = await open();
  last.send(GET);
  assert.equal((await last.readResponse()).status, 200);
});

test('if all connections are busy, a new one gets a retryable error in its format, and health checks still answer', async () => {
  for (const client of await Promise.all(Array.from({ length: MOST }, () => work())))
    await isStreaming(client);
  for (const [path, shape] of [
    ['/v1/chat/completions', /"code":"too_many_connections"/],
    ['/v1/messages', /"type":"error","error":\{"type":"overloaded_error"/],
    ['/v1beta/models/gemini-model:generateContent', /"reason":"TOO_MANY_CONNECTIONS"/],
  ] as const) {
    const refused = await work(path);
    const response = await refused.readResponse();
    assert.equal(response.status, 503, response.body);
    assert.match(response.headers['retry-after'] ?? '', /^\d+$/);
    assert.match(response.body, shape);
    await until('it is closed', () => refused.ended);
  }
  const probe = await open();
  probe.send('GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  assert.equal((await probe.readResponse()).status, 200);
  await until('the probe is closed', () => probe.ended);
  clients[0]?.[Symbol.dispose]();
  await until('there is room again', async () => {
    const next = await open();
    next.send(GET);
    return (await next.readResponse()).status === 200;
  });
});

test('requests on connections that are opened together are answered or refused, and none is reset', async () => {
  const together = await Promise.all(Array.from({ length: 4 * MOST }, () => work()));
  await until('each has an answer', () => together.every(({ received }) => received.includes('\r\n\r\n')));
  const statuses = together.map(({ received }) => received.slice(9, 12)).toSorted();
  assert.deepEqual(statuses, [
    ...Array.from({ length: MOST }, () => '200'),
    ...Array.from({ length: 3 * MOST }, () => '503'),
  ]);
});

test('many silent connections at once do not keep a request waiting', async () => {
  for (let count = 0; count < 100; count += 1) await open();
  const client = await open();
  client.send(GET);
  assert.equal((await client.readResponse()).status, 200);
});

test('a stopping gateway closes the connections that have been idle for long enough, used or not, and no other', async () => {
  const server = createServer((request, response) => {
    connections.begin(request.socket, response);
    response.end('hello');
    connections.end(request.socket);
  }).listen(0, '127.0.0.1');
  const connections = new Connections(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [used, unused] = [await RawClient.open(url), await RawClient.open(url)];
  clients.push(used, unused);
  const read = (count: number) => until('an answer', () => used.received.split('hello').length > count);
  used.send(GET);
  await read(1);
  connections.closeIdle(600_000);
  used.send(GET);
  await read(2);
  assert.deepEqual([used.ended, unused.ended], [false, false]);
  connections.closeIdle(0);
  await until('both are closed', () => used.ended && unused.ended);
  server.close();
});
