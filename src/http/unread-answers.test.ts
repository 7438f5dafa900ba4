import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../../test/support/raw-client.ts';
import { type Reply, answer, raw } from '../../test/support/upstream-replies.ts';
import { until } from '../../test/support/until.ts';
import { shareGateway } from '../../test/support/share-gateway.ts';

const LIMITS = { headersMs: 1_500, unreadMs: 2_500 };
/** More than a connection's buffers hold, since each of these takes two bytes of JSON; an answer may have more characters. */
const LARGE = '"'.repeat(7_000_000);

const gateway = shareGateway({ limits: LIMITS });

const ask = (client: RawClient, content = 'hello'): void =>
  client.post(
    '/v1/chat/completions',
    { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content }] },
    { authorization: `Bearer ${gateway.account.apiKey}` },
  );

function answerLarge(): Reply {
  const choice = { index: 0, message: { role: 'assistant', content: LARGE }, finish_reason: 'stop' };
  const body = JSON.stringify({ id: 'large', model: 'm', choices: [choice] });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}`;
  return raw(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`);
}

/** A connection, and the gateway's end of it. */
async function connect(): Promise<{ client: RawClient; end: Socket }> {
  const ends: Socket[] = [];
  const note = (message: unknown): void => void ends.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', note);
  const client = await RawClient.open(gateway.url, { halfOpen: true });
  const findEnd = () => ends.find(({ remotePort }) => remotePort === client.socket.localPort);
  await until('the connection is accepted', () => findEnd() !== undefined);
  unsubscribe('net.server.socket', note);
  const end = findEnd();
  assert.ok(end);
  return { client, end };
}

const waitForClose = (end: Socket): Promise<void> =>
  until('the gateway has let go of the connection', () => end.destroyed);

const REFUSED = {
  garbage: 'nonsense\r\n\r\n',
  'a tunnel': 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
  'headers without an end': 'GET / HTTP/1.1\r\nx-slow: ',
};

test('[C6] a refused connection is closed, even if the client keeps its side open', async () => {
  const tries = Object.entries(REFUSED).map(async ([what, bytes]) => {
    const { client, end } = await connect();
    client.send(bytes);
    assert.match(await client.waitForEnd(15_000), /^HTTP\/1\.1 4/, what);
    await waitForClose(end);
    client.close();
  });
  await Promise.all(tries);
});

test('[C4] a client that reads nothing of a complete answer is disconnected', async () => {
  gateway.upstream.script({ reply: answerLarge() });
  const { client, end } = await connect();
  client.stopReading();
  ask(client);
  await gateway.upstream.waitForRequests(1);
  await waitForClose(end);
  client.close();
});

test('[C4] a client that reads a complete answer slowly gets all of it', async () => {
  gateway.upstream.script({ reply: answerLarge() });
  const { client, end } = await connect();
  client.stopReading();
  ask(client);
  await gateway.upstream.waitForRequests(1);
  for (let reads = 0; reads < 8; reads += 1) {
    await sleep(LIMITS.unreadMs / 6);
    client.continueReading();
    await sleep(1);
    client.stopReading();
  }
  assert.equal(end.destroyed, false);
  client.continueReading();
  await client.waitForTail('}');
  assert.ok(client.receivedBytes > 2 * LARGE.length);
  client.close();
});

test('an answer behind one that was read slowly may take its time', async () => {
  const late = answer({ text: 'the late one' }, 2 * LIMITS.unreadMs);
  gateway.upstream.script({ match: { marker: 'large' }, reply: answerLarge() });
  gateway.upstream.script({ match: { marker: 'late' }, reply: late });
  const { client } = await connect();
  client.stopReading();
  ask(client, 'large');
  ask(client, 'late');
  await gateway.upstream.waitForRequests(2);
  await sleep(LIMITS.unreadMs / 4);
  client.continueReading();
  const tail = (): Buffer => client.receivedBuffer.subarray(-1_000);
  await until('the late answer is there', () => tail().includes('the late one'), 100);
  client.close();
});
