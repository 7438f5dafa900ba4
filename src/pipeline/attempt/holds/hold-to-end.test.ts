import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAccount } from '../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';
import {
  FORMATS,
  type LongAsk,
  SAYS_WHY,
  askLong,
  limitOf,
  words,
} from '../../../../test/support/long-answers.ts';
import type { MockUpstream } from '../../../../test/support/mock-upstream.ts';
import { fail, haltedAnswer } from '../../../../test/support/upstream-replies.ts';

/** 3 and 15 USD per million tokens. */
const MODEL = 'contextLength: 200000, maxOutput: 64000, price: { input: "3", output: "15" }';
const USD = 1_000_000_000_000n;
const TOKEN = 15_000_000n;

/** `m-<format>` is billed to its end; `both` is tried where streams are stopped, then where they are billed to their end. */
function createConfig({ baseUrl }: MockUpstream): string {
  const createProvider = (id: string, format: string, options: string): string =>
    `  - { id: ${id}, format: ${format}, baseUrl: "${baseUrl}", apiKey: k, ${options} }\n`;
  const own = FORMATS.map((format) =>
    createProvider(`p-${format}`, format, `cancellation: none, models: [{ id: m-${format}, ${MODEL} }]`),
  );
  const offers = ['streams', 'none'].map((cancellation, at) => {
    const models = ['both', 'open'].map((id) =>
      id === 'both'
        ? `{ id: both, externalId: ${cancellation}, ${MODEL.replace('"15"', `"${15 + at}"`)} }`
        : `{ id: open-${cancellation}, contextLength: 200000, price: { input: "3", output: "15" } }`,
    );
    return createProvider(
      `q-${cancellation}`,
      'chat',
      `cancellation: ${cancellation}, models: [${models.join(', ')}]`,
    );
  });
  return `providers:\n${[...own, ...offers].join('')}`;
}

const gateway = shareGateway({ config: createConfig });

function post({ path, body }: LongAsk, { apiKey }: TestAccount, headers: Record<string, string> = {}) {
  return gateway.post(path, body, { authorization: `Bearer ${apiKey}`, ...headers });
}

/** The output limits that providers were sent. */
const sentLimits = (): number[] => gateway.upstream.truths.map(limitOf);

for (const format of FORMATS) {
  for (const provider of FORMATS) {
    test(`${format} at ${provider}: a stream that is billed to its end is sent a limit that the budget covers, and says which`, async () => {
      const account = await gateway.createAccount({ credits: USD / 50n });
      gateway.upstream.script({ reply: words(64_000) });
      const response = await post(askLong(format, { model: `m-${provider}` }), account);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const [limit = 0] = sentLimits();
      assert.ok(limit > 1_200 && limit < 1_334, String(limit));
      assert.equal(response.headers.get('x-gateway-output-limit'), String(limit));
      assert.match(text, SAYS_WHY[format]);
      const row = await gateway.getRow(response);
      assert.deepEqual([row.finishReason, row.errorCode], ['length', 'credits_exhausted']);
      assert.match(row.errorMessage ?? '', /may cost up to/);
      assert.equal(row.customer, row.provider, 'nothing is left to the operator');
      assert.ok(BigInt(row.customer) >= BigInt(limit) * TOKEN && BigInt(row.customer) <= USD / 50n);
      assert.equal(gateway.upstream.truths[0]?.completed, true, 'it is read to its end');
    });
  }

  test(`${format}: a stream that fits into a lowered limit is an ordinary one`, async () => {
    const account = await gateway.createAccount({ credits: USD / 50n });
    gateway.upstream.script({ reply: words(40) });
    const response = await post(askLong(format), account);
    assert.doesNotMatch(await response.text(), /credits_exhausted/);
    const row = await gateway.getRow(response);
    assert.deepEqual([row.finishReason, row.errorCode], ['completed', undefined]);
  });

  test(`${format}: a stream that the budget covers in full is sent what was asked for`, async () => {
    const account = await gateway.createAccount({ credits: USD });
    gateway.upstream.script({ reply: words(40) });
    const response = await post(askLong(format), account);
    assert.equal(response.headers.get('x-gateway-output-limit'), null);
    await response.text();
    assert.deepEqual(sentLimits(), [64_000]);
  });
}

test('x-no-metadata keeps the reason out of the stream', async () => {
  gateway.upstream.script({ reply: words(64_000) });
  for (const format of FORMATS) {
    const account = await gateway.createAccount({ credits: USD / 50n });
    const response = await post(askLong(format), account, { 'x-no-metadata': 'true' });
    assert.doesNotMatch(await response.text(), /credits_exhausted/);
    assert.equal((await gateway.getRow(response)).errorCode, 'credits_exhausted');
  }
});

test('streams that are billed to their end share a small budget: none waits, and all that are sent can be paid', async () => {
  const account = await gateway.createAccount({ credits: USD });
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  gateway.upstream.script({ reply: haltedAnswer(released) });
  const asks = Array.from({ length: 5 }, () => post(askLong('chat', { limit: 40_000 }), account));
  await gateway.upstream.waitForRequests(5);
  const limits = sentLimits().sort((one, other) => other - one);
  assert.equal(limits[0], 40_000, 'what fits is not lowered');
  assert.ok((limits[1] ?? 0) < 40_000 && (limits[1] ?? 0) >= 4_096, limits.join());
  const most = limits.reduce((sum, limit) => sum + BigInt(limit) * TOKEN, 0n);
  assert.ok(most <= USD, limits.join());
  release(undefined);
  for (const response of await Promise.all(asks)) {
    await response.text();
    assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  }
});

test('less than the least output is a 402 that names the sum; a thinking budget is part of it', async () => {
  const account = await gateway.createAccount({ credits: 300n * TOKEN });
  const ask = askLong('messages');
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const refused = await post({ ...ask, body: { ...ask.body, thinking } }, account);
  assert.equal(refused.status, 402);
  assert.match(await refused.text(), /may cost up to 0\.03\d* USD/);
  await gateway.accounts.directory.updateProject(account.projectId, { minOutputTokens: 500 });
  const short = await post(ask, account);
  assert.equal(short.status, 402);
  assert.match(await short.text(), /may cost up to 0\.0080\d* USD/);
  assert.equal(gateway.upstream.truths.length, 0);
});

test('a stream that falls back to where it is billed to its end is limited there to what the budget covers', async () => {
  const account = await gateway.createAccount({ credits: USD / 50n });
  gateway.upstream.script({ reply: words(64_000) });
  gateway.upstream.script({ match: { model: 'streams' }, reply: fail(500, 'api_error') });
  const response = await post(askLong('chat', { model: 'both' }), account, { 'x-should-retry': 'false' });
  assert.match(await response.text(), SAYS_WHY.chat);
  const limits = sentLimits();
  assert.equal(limits[0], 64_000, 'where it is stopped it is not limited');
  const limit = limits.at(-1) ?? 0;
  assert.ok(limit > 1_100 && BigInt(limit) * (TOKEN + 1_000_000n) <= USD / 50n, String(limit));
  assert.equal(response.headers.get('x-gateway-output-limit'), String(limit));
  const row = await gateway.getRow(response);
  assert.equal(row.customer, row.provider);
});

test('a stream that neither its request nor the catalogue limits is held as it grows, where the budget covers it', async () => {
  const account = await gateway.createAccount({ credits: 2n * USD });
  gateway.upstream.script({ reply: words(40_000) });
  const ask = {
    path: '/v1/chat/completions',
    body: { model: 'open-none', stream: true, messages: [] as never[] },
  };
  const messages = [{ role: 'user', content: 'write a book' }];
  const response = await post({ ...ask, body: { ...ask.body, messages } }, account);
  const text = await response.text();
  assert.equal(text.match(/word/g)?.length, 40_000, text.slice(0, 400));
  assert.deepEqual(sentLimits(), [Number.NaN], 'no limit is made up');
  const row = await gateway.getRow(response);
  assert.deepEqual([row.finishReason, row.customer], ['completed', row.provider]);
});
