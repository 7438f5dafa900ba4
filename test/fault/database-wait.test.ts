import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { until } from '../support/until.ts';
import { answer } from '../support/upstream-replies.ts';

/** Longer than a request waits for PostgreSQL by default. */
const HALT_MS = 1_800;
const CHAT = '/v1/chat/completions';
const ASK = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

/** The status of a request that begins while PostgreSQL is silent. */
async function askDuringHalt(gateway: InProcessGateway): Promise<number> {
  gateway.upstream.script({ reply: answer({ text: 'hello', chunks: 1 }) });
  gateway.line.hold();
  const asking = gateway.post(CHAT, ASK);
  await sleep(HALT_MS);
  gateway.line.mend();
  const response = await asking;
  await response.arrayBuffer();
  return response.status;
}

test('a request waits for PostgreSQL as long as SLUICE_DATABASE_WAIT_MS says', async () => {
  await using patient = await openInProcess({ env: { SLUICE_DATABASE_WAIT_MS: '30000' } });
  assert.equal(await askDuringHalt(patient), 200);
  await using impatient = await openInProcess({ env: { SLUICE_DATABASE_WAIT_MS: '200' } });
  assert.equal(await askDuringHalt(impatient), 503);
});

/** Until a server in this process has received the head of a request. */
async function awaitArrival(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  subscribe('http.server.request.start', resolve);
  await promise;
  unsubscribe('http.server.request.start', resolve);
}

test('a client that disconnects while its request waits for PostgreSQL is charged nothing, and nothing stays reserved', async () => {
  await using gateway = await openInProcess({ env: { SLUICE_DATABASE_WAIT_MS: '30000' } });
  const { database, upstream, apiKey } = gateway;
  await (await gateway.post(CHAT, { ...ASK, model: 'no-such-model' })).arrayBuffer(); // its key is known now
  gateway.line.hold();
  const leaving = new AbortController();
  const arrival = awaitArrival();
  const asking = gateway.request(CHAT, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(ASK),
    signal: leaving.signal,
  });
  await arrival;
  await sleep(200); // it is read, and its hold is asked for
  leaving.abort();
  await assert.rejects(asking);
  await sleep(200);
  gateway.line.mend();
  const readRows = async () => {
    const text = `SELECT finish_reason, customer_cost::text AS customer FROM request_log WHERE requested_model = 'chat-model'`;
    return (await database.query<{ finish_reason: string; customer: string }>({ text })).rows;
  };
  await until('the request has its row', async () => (await readRows()).length > 0);
  assert.deepEqual(await readRows(), [{ finish_reason: 'canceled', customer: '0' }]);
  assert.deepEqual((await database.query({ text: 'SELECT 1 FROM hold' })).rows, []);
  assert.equal(upstream.truths.length, 0);
});
