import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, formatSse } from '#base';
import { GatewayError } from '#errors';
import type { TestAccount } from '../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';
import type { MockUpstream } from '../../../../test/support/mock-upstream.ts';
import {
  FORMATS,
  type LongAsk,
  SAYS_WHY,
  askLong,
  limitOf,
  words,
} from '../../../../test/support/long-answers.ts';
import { answer, answerText, endless } from '../../../../test/support/upstream-replies.ts';
import { until } from '../../../../test/support/until.ts';

/** 3 and 15 USD per million tokens, as most of what follows is computed with. */
const PRICE = 'contextLength: 200000, maxOutput: 64000, price: { input: "3", output: "15" }';

const gateway = shareGateway({ config: createConfig });

function createConfig({ baseUrl }: MockUpstream): string {
  const providers = FORMATS.map(
    (format) =>
      `  - { id: p-${format}, format: ${format}, baseUrl: "${baseUrl}", apiKey: k, cancellation: streams, models: [{ id: m-${format}, ${PRICE} }] }\n`,
  );
  return `providers:\n${providers.join('')}`;
}

const USD = 1_000_000_000_000n;
const TOKEN = 15_000_000n;

async function post(
  { path, body }: LongAsk,
  { apiKey }: TestAccount,
  headers: Record<string, string> = {},
): Promise<Response> {
  return gateway.post(path, body, { authorization: `Bearer ${apiKey}`, ...headers });
}

async function readHeld({ keyId }: TestAccount): Promise<bigint> {
  const { rows } = await gateway.database.query<{ held: string }>({
    text: `SELECT held::text FROM meter WHERE kind = 'key' AND subject_id = $1`,
    values: [keyId],
  });
  return BigInt(rows[0]?.held ?? '0');
}

for (const format of FORMATS) {
  test(`${format}: a stream is held slice by slice, and one that the budget covers is complete and paid in full`, async () => {
    const account = await gateway.createAccount({ credits: USD / 8n });
    // 4,000 tokens: 0.06 USD of the 0.96 that its limit could cost.
    gateway.upstream.script({ reply: answer({ text: 'word '.repeat(4_000), chunks: 4_000 }) });
    const response = await post(askLong(format), account);
    assert.equal(response.status, 200);
    const text = await response.text();
    // The last events of Responses repeat the text.
    assert.equal(text.match(/word/g)?.length, format === 'responses' ? 20_000 : 4_000);
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'completed');
    assert.equal(row.customer, row.provider);
    assert.ok(BigInt(row.customer) > 4_000n * TOKEN);
    assert.equal(await readHeld(account), 0n);
  });

  test(`${format}: an answer that outgrows the budget ends as at its output limit, and the provider is stopped`, async () => {
    const account = await gateway.createAccount({ credits: USD / 20n });
    gateway.upstream.script({ reply: endless(0, 'word '.repeat(10)) });
    const response = await post(askLong(format), account);
    const text = await response.text();
    assert.match(text, /"(?:length|max_tokens|max_output_tokens|MAX_TOKENS)"/);
    assert.match(text, SAYS_WHY[format]);
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'length');
    assert.equal(row.errorCode, 'credits_exhausted');
    assert.match(row.errorMessage ?? '', /may cost up to/);
    // What was shown is paid for, and the budget is never exceeded.
    const shown = BigInt(text.match(/word/g)?.length ?? 0) / (format === 'responses' ? 5n : 1n);
    assert.ok(BigInt(row.customer) <= USD / 20n);
    assert.ok(BigInt(row.customer) >= USD / 40n, row.customer);
    assert.ok((shown * 5n * TOKEN) / 4n <= USD / 20n, String(shown));
    await until('the provider is stopped', () => gateway.upstream.truths.every(({ aborted }) => aborted));
  });
}

test('the limit that ended a stream is the one that it reached, and x-no-metadata keeps it out of the stream', async () => {
  gateway.upstream.script({ reply: endless(0, 'word '.repeat(10)) });
  for (const format of FORMATS) {
    const account = await gateway.createAccount({ limit: USD / 50n });
    const text = await (await post(askLong(format), account)).text();
    assert.match(text, new RegExp(SAYS_WHY[format].source.replace('credits_exhausted', 'key_limit_reached')));
  }
  for (const format of FORMATS) {
    const account = await gateway.createAccount({ limit: USD / 50n });
    const text = await (await post(askLong(format), account, { 'x-no-metadata': 'true' })).text();
    assert.doesNotMatch(text, /key_limit_reached/);
  }
});

for (const format of FORMATS) {
  test(`${format}: a JSON answer that ends at a limit lowered by the budget says which limit that was, in header, body and row`, async () => {
    const account = await gateway.createAccount({ credits: USD / 50n });
    gateway.upstream.script({ reply: words(64_000) });
    const response = await post(askLong(format, { stream: false }), account);
    assert.equal(response.headers.get('x-gateway-limited-by'), 'credits_exhausted');
    assert.match(await response.text(), SAYS_WHY[format]);
    const row = await gateway.getRow(response);
    assert.deepEqual([row.finishReason, row.errorCode], ['length', 'credits_exhausted']);
    assert.match(row.errorMessage ?? '', /may cost up to/);
  });

  test(`${format}: a JSON answer that fits into a lowered limit is an ordinary one`, async () => {
    const account = await gateway.createAccount({ credits: USD / 50n });
    gateway.upstream.script({ reply: answer({ text: 'short' }) });
    const response = await post(askLong(format, { stream: false }), account);
    assert.equal(response.headers.get('x-gateway-limited-by'), null);
    assert.doesNotMatch(await response.text(), /credits_exhausted/);
    const row = await gateway.getRow(response);
    assert.deepEqual([row.finishReason, row.errorCode], ['completed', undefined]);
  });
}

test('the hold is ahead of the answer at every moment', async () => {
  const account = await gateway.createAccount({ credits: USD });
  gateway.upstream.script({ reply: endless(1, 'word '.repeat(40)) });
  const response = await post(askLong('chat'), account);
  let shown = 0;
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    shown += 5 * (Buffer.from(bytes).toString().match(/word/g)?.length ?? 0);
    if (shown > 100_000) break;
    // A quarter of its bytes is what the text is counted as.
    const held = await readHeld(account);
    assert.ok(held >= BigInt(Math.floor(shown / 4)) * TOKEN, `${shown} bytes shown, ${held} held`);
  }
  assert.ok(shown > 100_000);
});

for (const format of FORMATS)
  test(`${format}: a JSON answer is bounded to what the budget covers, which a header says`, async () => {
    const account = await gateway.createAccount({ credits: USD / 50n });
    gateway.upstream.script({ reply: words(4) });
    const response = await post(askLong(format, { stream: false }), account);
    assert.equal(response.status, 200, await response.text());
    const limit = Number(response.headers.get('x-gateway-output-limit'));
    assert.ok(limit > 1_000 && limit < 1_400, String(limit));
    assert.deepEqual(gateway.upstream.truths.map(limitOf), [limit]);
  });

test('less than the least answer costs is a 402 that names the sum', async () => {
  const account = await gateway.createAccount({ credits: 256n * TOKEN });
  for (const stream of [true, false]) {
    const response = await post(askLong('messages', { stream }), account);
    assert.equal(response.status, 402);
    assert.match(await response.text(), /may cost up to 0\.004\d* USD/);
  }
  assert.equal(gateway.upstream.truths.length, 0);
});

test('a project sets how far its answers may be shortened; below that is a 402 that names the sum', async () => {
  const account = await gateway.createAccount({ credits: 600n * TOKEN });
  const { directory } = gateway.accounts;
  const { projectId } = account;
  await directory.updateProject(projectId, { minOutputTokens: 2_000 });
  for (const stream of [true, false]) {
    const response = await post(askLong('messages', { stream }), account);
    assert.equal(response.status, 402);
    assert.match(await response.text(), /may cost up to 0\.03\d* USD/);
  }
  assert.equal(gateway.upstream.truths.length, 0);
  const small = await post(askLong('messages', { stream: false, limit: 100 }), account);
  assert.equal((await read(small)).status, 200, 'a request that asks for less is not short of it');
  await directory.updateProject(projectId, { minOutputTokens: null });
  assert.equal((await read(await post(askLong('messages', { stream: false }), account))).status, 200);
});

test('a hidden cost that shows at the end is charged as far as the budget goes', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 20_000, total_tokens: 20_010 };
  const rich = await gateway.createAccount({ credits: USD });
  const poor = await gateway.createAccount({ credits: USD / 10n });
  gateway.upstream.script({ reply: answer({ text: 'short', usage }) });
  const full = await gateway.getRow(await read(await post(askLong('chat'), rich)));
  assert.equal(BigInt(full.customer), 20_000n * TOKEN + 30_000_000n);
  const capped = await gateway.getRow(await read(await post(askLong('chat'), poor)));
  assert.equal(BigInt(capped.customer), USD / 10n);
  assert.equal(capped.provider, full.provider);
});

test('what an answer costs while its hold cannot grow is charged when it is settled, as far as the budget goes', async (context) => {
  const { ledger } = gateway.accounts;
  const error = new GatewayError('store_unavailable', 'the database is away');
  context.mock.method(ledger, 'grow', () => Promise.reject(error));
  for (const credits of [100n * USD, USD / 50n]) {
    const account = await gateway.createAccount({ credits });
    gateway.upstream.script({ reply: answer({ text: 'word '.repeat(20_000), chunks: 2_000 }) });
    const response = await read(await post(askLong('messages'), account));
    const row = await gateway.getRow(response);
    const [customer = 0n, provider = 0n] = [row.customer, row.provider].map(BigInt);
    assert.ok(provider > USD / 40n);
    assert.equal(customer, provider < credits ? provider : credits);
    assert.equal(await readHeld(account), 0n);
  }
});

test('the speed of a stream is measured, that of a JSON answer, which arrives at once, is not', async () => {
  const { perToken } = gateway.health.of({ providerId: 'p-chat', externalId: 'm-chat' });
  const ask = async (stream: boolean): Promise<number> => {
    const before = perToken.count;
    gateway.upstream.script({ reply: answer({ text: 'word '.repeat(50), chunks: 50 }) });
    await read(await post(askLong('chat', { stream }), gateway.account));
    return perToken.count - before;
  };
  assert.deepEqual([await ask(true), await ask(false)], [1, 0]);
});

test('a text that has ended is not ended again where the budget does not cover the image after it', async () => {
  const account = await gateway.createAccount({ credits: USD / 100n });
  const chunk = (parts: JsonObject[], fields: JsonObject = {}): string =>
    formatSse({ data: JSON.stringify({ candidates: [{ content: { role: 'model', parts }, ...fields }] }) });
  const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
  const text = chunk([{ text: 'Here it is.' }]) + chunk([image]) + chunk([], { finishReason: 'STOP' });
  gateway.upstream.script({ reply: answerText('text/event-stream', text) });
  const shown = await (await post(askLong('messages', { model: 'm-gemini' }), account)).text();
  assert.match(shown, SAYS_WHY.messages);
  assert.equal(shown.match(/^event: content_block_stop$/gm)?.length, 1, shown);
});

async function read(response: Response): Promise<Response> {
  await response.text();
  return response;
}
