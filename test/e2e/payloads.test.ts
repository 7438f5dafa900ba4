import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Payload, type StoredPayload, createPayloadQueue, createPayloads } from '#logs';
import type { TestAccount } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { until } from '../support/until.ts';

let keeping: TestAccount;
const gateway = shareGateway();
before(async () => {
  keeping = await gateway.createAccount();
  await gateway.accounts.directory.updateProject(keeping.projectId, { payloadDays: 7 });
});

const bodyOf = (more: object = {}) => ({
  model: 'chat-model',
  messages: [{ role: 'user', content: 'what is kept? \u0000 🦥' }],
  ...more,
});

const send = (account: TestAccount, body: object): Promise<Response> =>
  gateway.post('/v1/chat/completions', body, { authorization: `Bearer ${account.apiKey}` });

/** It is written after the answer, so it may be late. */
async function findPayload(response: Response, account = keeping): Promise<StoredPayload | undefined> {
  const payloads = createPayloads({ database: gateway.database });
  const requestId = response.headers.get('x-request-id') ?? '';
  let found: StoredPayload | undefined;
  await until('the payload is kept', async () => {
    found = await payloads.find(requestId, account);
    return found !== undefined;
  });
  return found;
}

test('a project that enables payloads stores requests and answers as its clients saw them, streamed or not', async () => {
  for (const stream of [false, true]) {
    const body = bodyOf({ stream });
    const response = await send(keeping, body);
    const seen = await response.text();
    const payload = await findPayload(response);
    assert.equal(payload?.request.text, JSON.stringify(body));
    assert.equal(payload.answer.text, seen);
    assert.equal(payload.answer.status, 200);
    assert.match(payload.answer.contentType, stream ? /event-stream/ : /json/);
    const headers = payload.answer.headers ?? {};
    assert.match(headers['x-gateway-attempts'] ?? '', /;/);
    for (const [name, value] of Object.entries(headers)) assert.equal(response.headers.get(name), value);
    assert.equal(payload.request.isCut || payload.answer.isCut, false);
    const days = (payload.expiresAt - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7.1);
  }
});

test('a refusal is stored too, and a text over the limit is cut and marked', async () => {
  const refused = await send(keeping, bodyOf({ model: 'no-such-model' }));
  const seen = await refused.text();
  assert.equal((await findPayload(refused))?.answer.text, seen);
  const long = await send(keeping, bodyOf({ user: 'x'.repeat(1_500_000) }));
  await long.text();
  const payload = await findPayload(long);
  assert.equal(payload?.request.isCut, true);
  assert.equal(Buffer.byteLength(payload.request.text), 1024 * 1024);
  assert.ok(payload.request.bytes > 1_500_000);
});

test('nothing is stored for a project that did not enable payloads, or shown to another organization', async () => {
  const other = await gateway.createAccount();
  const silent = await send(other, bodyOf());
  await silent.text();
  const kept = await send(keeping, bodyOf());
  await kept.text();
  assert.ok(await findPayload(kept));
  const payloads = createPayloads({ database: gateway.database });
  assert.equal(await payloads.find(kept.headers.get('x-request-id') ?? '', other), undefined);
  assert.equal(await payloads.find(silent.headers.get('x-request-id') ?? '', 'all'), undefined);
});

test('stored payloads contain no credential', async () => {
  const response = await send(keeping, bodyOf());
  await response.text();
  assert.doesNotMatch(JSON.stringify(await findPayload(response)), new RegExp(keeping.apiKey));
});

test('a project’s payloads can be deleted', async () => {
  const payloads = createPayloads({ database: gateway.database });
  assert.ok((await payloads.deleteOfProjectAsOperator(keeping.projectId)) > 3);
});

test('an answer does not wait for its payload: a table that is locked delays nothing, and loses nothing', async () => {
  const session = await gateway.database.openSession();
  await session.query({ text: 'BEGIN' });
  await session.query({ text: 'LOCK TABLE request_payload IN ACCESS EXCLUSIVE MODE' });
  const response = await send(keeping, bodyOf());
  await response.text();
  assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  await session.query({ text: 'COMMIT' });
  await session.close();
  assert.ok(await findPayload(response));
});

test('if too many payloads are queued, further ones are discarded and the operator is warned once', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const saved: string[] = [];
  const losses: string[] = [];
  const queue = createPayloadQueue({
    payloads: {
      save: async ({ requestId }) => {
        await promise;
        if (requestId === 'req_1') throw new Error('the disk is full');
        saved.push(requestId);
      },
    },
    onLoss: (reason) => losses.push(reason),
    mostBytes: 10_000,
    now: () => 0,
  });
  const text = { kept: Buffer.alloc(1_000), bytes: 1_000 };
  const payload = (n: number): Payload => ({
    requestId: `req_${n}`,
    organizationId: 'o',
    projectId: 'p',
    days: 1,
    status: 200,
    contentType: '',
    request: text,
    answer: text,
    headers: {},
  });
  for (let n = 0; n < 10; n += 1) queue.keep(payload(n));
  assert.equal(queue.dropped, 7);
  resolve(undefined);
  await queue.drain();
  assert.deepEqual(saved, ['req_0', 'req_2']);
  assert.equal(queue.dropped, 8);
  assert.deepEqual(losses, ['payloads come faster than they are written']);
  queue.keep(payload(11));
  await queue.drain();
  assert.deepEqual(saved, ['req_0', 'req_2', 'req_11']);
});
