import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../../../../test/support/in-process.ts';
import { postHalf, postTooLarge } from '../../../../../test/support/raw-exchange.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { until } from '../../../../../test/support/until.ts';
import { fail } from '../../../../../test/support/upstream-replies.ts';
import { SLOWNESS_MS } from '../../../../../test/support/within.ts';

const PATH = '/v1/messages/count_tokens';
const ASK = { model: 'messages-model', messages: [{ role: 'user', content: 'one two three four' }] };
const BODY_MS = 2_000;

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess({ limits: { bodyMs: BODY_MS } });
});
after(() => gateway[Symbol.asyncDispose]());
afterEach(() => {
  gateway.upstream.clear();
  gateway.line.mend();
});

const post = (body: unknown = ASK, headers: Record<string, string> = {}) => gateway.post(PATH, body, headers);
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'messages' });

async function readCount(response: Response): Promise<number> {
  assert.equal(response.status, 200);
  const body = (await response.json()) as { input_tokens: number };
  assert.deepEqual(Object.keys(body), ['input_tokens']);
  return body.input_tokens;
}

test('200: the provider’s own count where it has a counter, with a row at cost 0', async () => {
  const response = await post();
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v1/messages/count_tokens');
  assert.equal(await readCount(response), truth.inputTokens);
  const row = await gateway.getRow(response);
  assert.equal(row.finishReason, 'completed');
  assert.equal(row.customer, '0');
});

test('200: an estimate where the provider has no counter, or its counter fails', async () => {
  const estimate = await readCount(await post({ ...ASK, model: 'chat-model' }));
  assert.ok(estimate >= 4 && estimate <= 20, `${estimate}`);
  assert.equal(gateway.upstream.truths.length, 0);
  gateway.upstream.script({ reply: fail(500, 'api_error') });
  assert.equal(await readCount(await post()), estimate);
  const longer = { ...ASK, model: 'chat-model', system: 'be brief '.repeat(50) };
  assert.ok((await readCount(await post(longer))) > estimate + 50);
});

test('200: a key that has used its limit may still count', async () => {
  const { apiKey } = await gateway.createAccount({ limit: 0n });
  assert.ok((await readCount(await post(ASK, asKey(apiKey)))) > 0);
});

test('400: a body that is no prompt, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    ['', 'invalid_json', /empty/],
    ['{"model":', 'invalid_json', /not valid JSON/],
    [Buffer.from([0x22, 0xff, 0x22]), 'invalid_utf8', /UTF-8/],
    [{ ...ASK, messages: 'hi' }, 'invalid_request', /messages/],
    [{ ...ASK, tools: [{ type: 'function', function: {} }] }, 'wrong_format', /tools\.0/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

test('401: no key, and an unknown one', async () => {
  const none = await post(ASK, { authorization: '' });
  await refused(none, { status: 401, code: 'missing_credential', row: 'none' });
  const unknown = await post(ASK, asKey('slc_unknown'));
  await refused(unknown, { status: 401, code: 'invalid_credential', row: 'none' });
});

test('403: a credential that is no regular key', async () => {
  const admin = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  const response = await post(ASK, asKey(admin.secret));
  await refused(response, { status: 403, code: 'wrong_credential', row: 'none' });
});

test('404: an unknown model, with the closest names', async () => {
  const response = await post({ ...ASK, model: 'mesages-model' });
  assert.match(await refused(response, { status: 404, code: 'model_not_found' }), /messages-model/);
});

test('408: a body that stops before its end', async () => {
  await refused(await postHalf(gateway, PATH), { status: 408, code: 'request_timeout' });
});

test('413: a body of more than 32 MiB', async () => {
  await refused(await postTooLarge(gateway, PATH), { status: 413, code: 'body_too_large' });
});

test('415: a body that is not declared as JSON, or compressed', async () => {
  const text = await post(ASK, { 'content-type': 'text/plain' });
  await refused(text, { status: 415, code: 'unsupported_media_type' });
  const packed = await post(ASK, { 'content-encoding': 'br' });
  await refused(packed, { status: 415, code: 'unsupported_encoding' });
});

test('429: a count is a request of the key’s limits, and its tokens are not counted', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  await gateway.accounts.directory.setKeyRateLimits(keyId, { requestsPerMinute: 2, tokensPerMinute: 1 });
  const bad = await post({ ...ASK, messages: 'hi' }, asKey(apiKey));
  assert.equal(bad.status, 400);
  for (const remaining of ['1', '0']) {
    const response = await post(ASK, asKey(apiKey));
    assert.ok((await readCount(response)) > 1);
    assert.equal(response.headers.get('x-ratelimit-remaining-requests'), remaining);
    assert.equal(response.headers.get('x-ratelimit-remaining-tokens'), null);
  }
  const asked = gateway.upstream.truths.length;
  const response = await post(ASK, asKey(apiKey));
  const message = await refused(response, { status: 429, code: 'rate_limit_exceeded' });
  assert.match(message, /2 requests per minute \(2 used\)/);
  assert.ok(Number(response.headers.get('retry-after')) >= 1);
  assert.equal(gateway.upstream.truths.length, asked);
});

test('429: a count takes a place among concurrent requests until it is answered', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  await gateway.accounts.directory.setKeyRateLimits(keyId, { concurrency: 1 });
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  gateway.upstream.script({ reply: (exchange) => released.then(() => fail(500, 'api_error')(exchange)) });
  const waiting = post(ASK, asKey(apiKey));
  await until('the provider is asked', () => gateway.upstream.truths.length === 1);
  await refused(await post(ASK, asKey(apiKey)), { status: 429, code: 'rate_limit_exceeded' });
  release(undefined);
  assert.equal((await waiting).status, 200);
  assert.ok((await readCount(await post(ASK, asKey(apiKey)))) > 1);
});

test('500: a fault of the gateway, with details only for the operator', async () => {
  const { apiKey } = await gateway.createAccount();
  const response = await gateway.withoutTable('api_key', () => post(ASK, asKey(apiKey)));
  const message = await refused(response, { status: 500, code: 'internal_error', row: 'none' });
  assert.equal(message, 'internal error');
  assert.equal((await post(ASK, asKey(apiKey))).status, 200);
});

test('503: the database is unavailable: no count without its log row, which follows later', async () => {
  assert.equal((await post()).status, 200);
  gateway.line.cut();
  const startedMs = performance.now();
  const response = await post();
  assert.ok(performance.now() - startedMs < 2_000 + SLOWNESS_MS);
  assert.equal(response.headers.get('retry-after'), '2');
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
  gateway.line.mend();
  assert.equal((await gateway.waitForRow(response)).customer, '0');
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  const response = await post(ASK, asKey(apiKey));
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
});
