import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../../test/support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../../../test/support/mock-upstream.ts';
import { hang } from '../../../test/support/upstream-replies.ts';

/** Requests that create nothing. */
const ASKS = [
  { model: 'embeddings', path: '/v1/embeddings', body: { input: ['hello'] } },
  { model: 'moderations', path: '/v1/moderations', body: { input: 'hello' } },
  { model: 'rerank', path: '/v1/rerank', body: { query: 'hello', documents: ['one', 'two'] } },
];

let silent: MockUpstream;
let other: MockUpstream;
let gateway: InProcessGateway;

before(async () => {
  [silent, other] = [await startMockUpstream(), await startMockUpstream()];
  const describe = (id: string, baseUrl: string, input: number): string => {
    const offers = ['images', ...ASKS.map(({ model }) => model)].map(
      (operation) =>
        `{ id: ${operation}, contextLength: 100000, operations: [${operation}], price: { input: "${input}", output: "1" } }`,
    );
    return `  - { id: ${id}, format: chat, baseUrl: "${baseUrl}", apiKey: k, models: [${offers.join(', ')}] }\n`;
  };
  gateway = await openInProcess({
    config: `providers:\n${describe('cheap', silent.baseUrl, 1)}${describe('expensive', other.baseUrl, 9)}`,
    env: { SLUICE_ADAPTIVE_ROUTING: 'on' },
  });
});
after(async () => {
  await silent.close(); // first: the gateway reads an image to its end although its client has disconnected
  await other.close();
  await gateway[Symbol.asyncDispose]();
});

test('another provider answers embeddings, moderations and reranking while the first is silent; an image is not made twice', async () => {
  silent.script({ reply: hang() });
  const abort = new AbortController();
  const image = gateway
    .request('/v1/images/generations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'images', prompt: 'a hat' }),
      signal: abort.signal,
    })
    .catch(() => undefined);
  await silent.waitForRequests(1);
  for (const { model, path, body } of ASKS) {
    const response = await gateway.post(path, { model, ...body });
    assert.equal(response.status, 200, await response.text());
    const { attempts, customer, providerId } = await gateway.getRow(response);
    assert.deepEqual(
      attempts.map(({ outcome, reason }) => `${outcome} ${reason}`),
      ['outpaced cheapest', 'answered rival'],
    );
    assert.equal(providerId, 'expensive');
    assert.ok(BigInt(customer) > 0n, 'the client pays for the answer');
  }
  assert.deepEqual(
    other.truths.map(({ body }) => body['model']),
    ASKS.map(({ model }) => model),
    'the image has been awaited for longer than each of them',
  );
  abort.abort();
  await image;
});
