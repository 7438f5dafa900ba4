import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { awaitEarlier } from '../support/await-earlier.ts';
import type { Gateway } from '../support/gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { RoutedGateway } from '../support/routed-gateway.ts';
import {
  type Reply,
  answer,
  cutAfter,
  fail,
  haltedAnswer,
  hang,
  rateLimited,
} from '../support/upstream-replies.ts';

const CHAT = '/v1/chat/completions';
/** The places of the providers whose calls are limited at a time. */
const PLACES = 2;

let routed: RoutedGateway;
let cheap: MockUpstream;
let gateway: Gateway;

/** Limits count for a whole provider, so that each test has one of its own; each has the model `<provider>-model`. */
const LIMITED = {
  spilling: `limits: { concurrency: ${PLACES} }, queue: { waitMs: 100 }`,
  waiting: `limits: { concurrency: ${PLACES} }, queue: { waitMs: 60000 }`,
  ending: `cancellation: all, limits: { concurrency: ${PLACES} }, queue: { waitMs: 60000 }`,
  resting: 'limits: { concurrency: 1 }, queue: { waitMs: 60000 }',
  minute: 'limits: { requestsPerMinute: 3 }',
  tokens: 'limits: { tokensPerMinute: 60 }',
  closed: 'limits: { concurrency: 1 }, queue: { length: 0 }',
  pair: `limits: { requestsPerMinute: 4 }, credentials: [{ name: one, apiKey: k, limits: { requestsPerMinute: 1 } },
         { name: two, apiKey: k, limits: { requestsPerMinute: 2 } }, { name: three, apiKey: k, weight: 0 }]`,
};
/** Those whose model is only theirs. */
const ALONE = ['waiting', 'resting', 'ending', 'closed', 'minute', 'tokens'];

before(async () => {
  const model = (id: string, input: number): string =>
    `{ id: ${id}-model, contextLength: 100000, price: { input: "${input}", output: "2" } }`;
  const shared = Object.keys(LIMITED).filter((id) => !ALONE.includes(id));
  const models = shared.map((id) => model(id, 9)).join(', ');
  routed = await RoutedGateway.start((cheapUrl, expensiveUrl) => [
    ...Object.entries(LIMITED).map(
      ([id, rest]) =>
        `  - { id: ${id}, format: chat, baseUrl: "${cheapUrl}", ${rest}, models: [${model(id, 1)}] }`,
    ),
    `  - { id: expensive, format: messages, baseUrl: "${expensiveUrl}", apiKey: expensive-key, models: [${models}] }`,
  ]);
  ({ cheap, gateway } = routed);
});

after(() => routed[Symbol.asyncDispose]());

beforeEach(() => routed.clear());

interface Asked {
  stream?: boolean;
  signal?: AbortSignal;
  words?: number;
}

function send(
  id: keyof typeof LIMITED,
  { stream = false, signal, words = 1 }: Asked = {},
): Promise<Response> {
  return gateway.request(CHAT, {
    method: 'POST',
    body: JSON.stringify({
      model: `${id}-model`,
      max_tokens: 20,
      stream,
      messages: [{ role: 'user', content: 'hello '.repeat(words) }],
    }),
    headers: { 'content-type': 'application/json' },
    ...(signal && { signal }),
  });
}

async function ask(id: keyof typeof LIMITED, asked: Asked = {}) {
  const response = await send(id, asked);
  return { ...(await routed.read(response)), retryAfter: Number(response.headers.get('retry-after')) };
}

/** Occupies all places of a provider until it is released. */
async function occupy(id: keyof typeof LIMITED, places = PLACES) {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  cheap.script({ reply: haltedAnswer(released) });
  const occupying = Array.from({ length: places }, () => ask(id));
  await cheap.waitForRequests(places);
  return {
    release: async () => {
      release(undefined);
      return Promise.all(occupying);
    },
  };
}

test('a request that finds every place taken waits for a short time, then goes to the next provider', async () => {
  const { release } = await occupy('spilling');
  assert.deepEqual((await ask('spilling')).attempts, ['expensive answered']);
  assert.equal(cheap.truths.length, PLACES);
  for (const { attempts } of await release()) assert.deepEqual(attempts, ['spilling answered']);
  // It is asked for by name: by its halted answers it seems slow.
  const messages = [{ role: 'user', content: 'hello' }];
  const freed = await gateway.post(CHAT, { model: 'spilling/spilling-model', max_tokens: 20, messages });
  assert.deepEqual((await routed.read(freed)).attempts, ['spilling answered']);
});

test('where there is no other provider, it waits for a place and is answered', async () => {
  const { release } = await occupy('waiting');
  const waiting = ask('waiting');
  const messages = [{ role: 'user', content: 'meanwhile' }];
  assert.equal((await gateway.post(CHAT, { model: 'local/echo', messages })).status, 200);
  assert.equal(cheap.truths.length, PLACES);
  await release();
  const { status, attempts } = await waiting;
  assert.deepEqual([status, attempts], [200, ['waiting answered']]);
});

test('without a queue it is refused with the time after which to retry, and nothing is charged', async () => {
  const { release } = await occupy('closed', 1);
  const { status, text, attempts, retryAfter } = await ask('closed');
  assert.equal(status, 503);
  assert.match(text, /limits of this gateway at the providers of this model are reached; retry in 1 s/);
  assert.deepEqual([attempts, retryAfter], [[], 1]);
  await release();
});

test('requests that wait for a place are not sent to a provider that asks to be called later meanwhile', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  cheap.script({
    reply: async (exchange) => {
      await released;
      await rateLimited('60')(exchange);
    },
  });
  const all = Array.from({ length: 6 }, () => ask('resting'));
  await cheap.waitForRequests(1);
  await awaitEarlier(gateway);
  release(undefined);
  const answers = await Promise.all(all);
  assert.equal(cheap.truths.length, 1);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [429, 503, 503, 503, 503, 503]);
  for (const { retryAfter } of answers) assert.ok(retryAfter > 50, String(retryAfter));
});

const ENDINGS: Record<string, { reply: Reply; stream?: boolean; leaves?: boolean }> = {
  'an answer': { reply: answer() },
  'a stream': { reply: answer(), stream: true },
  'a stream that is cut': { reply: cutAfter(1), stream: true },
  'an error': { reply: fail(400, 'invalid_request_error') },
  'a client that disconnects': { reply: hang(), leaves: true },
  'a client that leaves a stream': { reply: hang(), stream: true, leaves: true },
  'a refused credential': { reply: fail(401, 'authentication_error') },
};

for (const [name, { reply, stream = false, leaves = false }] of Object.entries(ENDINGS))
  test(`${name} frees its place`, async () => {
    cheap.script({ reply });
    const leaving = new AbortController();
    const pending = Array.from({ length: PLACES }, () =>
      send('ending', { stream, signal: leaving.signal }).then(
        (response) => response.text(),
        () => undefined,
      ),
    );
    await cheap.waitForRequests(PLACES);
    if (leaves) leaving.abort();
    await Promise.all(pending);
    cheap.clear();
    // Fewer places would not be enough for as many that are answered together.
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    cheap.script({ reply: haltedAnswer(released) });
    const together = Array.from({ length: PLACES }, () => send('ending').then((response) => response.text()));
    await cheap.waitForRequests(PLACES);
    release(undefined);
    await Promise.all(together);
  });

test('calls per minute: beyond the limit it gets the time to wait', async () => {
  for (let request = 0; request < 3; request += 1) assert.equal((await ask('minute')).status, 200);
  const { status, attempts, retryAfter } = await ask('minute');
  assert.deepEqual([status, attempts], [503, []]);
  assert.ok(retryAfter > 0 && retryAfter <= 61, String(retryAfter));
});

test('tokens per minute: the prompt counts before the call, the answer after it', async () => {
  cheap.script({ reply: answer({ usage: { prompt_tokens: 5, completion_tokens: 70, total_tokens: 75 } }) });
  assert.equal((await ask('tokens', { words: 100 })).status, 503, 'it would never fit');
  assert.equal(cheap.truths.length, 0);
  assert.equal((await ask('tokens')).status, 200);
  assert.equal((await ask('tokens')).status, 503);
  assert.equal(cheap.truths.length, 1);
});

test('each credential has limits of its own below those of its provider; then the next provider is asked', async () => {
  const asked: string[] = [];
  for (let request = 0; request < 5; request += 1) asked.push(...(await ask('pair')).attempts);
  assert.deepEqual(asked.slice(0, 3).toSorted(), [
    'pair one answered',
    'pair two answered',
    'pair two answered',
  ]);
  assert.deepEqual(asked.slice(3), ['pair three answered', 'expensive answered']);
});
