import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import type { InProcessGateway } from './in-process.ts';
import { postHalf, postTooLarge } from './raw-exchange.ts';
import { type Promised, assertRefused } from './refusal.ts';
import { until } from './until.ts';
import { fail } from './upstream-replies.ts';
import { SLOWNESS_MS } from './within.ts';

/** An endpoint that counts the tokens of prompts. */
interface CountSurface {
  gateway(): InProcessGateway;
  format: ClientFormatId;
  path: string;
  /** A prompt of a few words for a model whose provider has a counter. */
  ask: JsonObject & { model: string };
  /** The member for instructions. */
  system: string;
  /** Members that make the prompt wrong. */
  wrong: readonly JsonObject[];
  /** What the answer has besides `input_tokens`. */
  rest: JsonObject;
}

/** Tests what all such endpoints promise; the gateway's body limit must be short (`limits.bodyMs`). */
export function proveCounts(surface: CountSurface): void {
  const { gateway: open, format, path, ask } = surface;
  const post = (body: unknown = ask, headers: Record<string, string> = {}) =>
    open().post(path, body, headers);
  const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
  const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
    assertRefused(open(), response, { ...expected, format });

  const readCount = async (response: Response): Promise<number> => {
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { input_tokens: tokens, ...rest } = JSON.parse(text) as { input_tokens: number };
    assert.deepEqual(rest, surface.rest);
    return tokens;
  };

  test('200: the provider’s own count where it has a counter, with a row at cost 0', async () => {
    const response = await post();
    const [truth] = open().upstream.truths;
    assert.equal(truth?.path, '/v1/messages/count_tokens'); // of its model's provider
    assert.equal(await readCount(response), truth.inputTokens);
    const row = await open().getRow(response);
    assert.equal(row.finishReason, 'completed');
    assert.equal(row.customer, '0');
    assert.equal(row.modelId, ask.model);
  });

  test('200: an estimate where the provider has no counter, or its counter fails', async () => {
    const estimate = await readCount(await post({ ...ask, model: 'chat-model' }));
    assert.ok(estimate >= 4 && estimate <= 20, `${estimate}`);
    assert.equal(open().upstream.truths.length, 0);
    open().upstream.script({ reply: fail(500, 'api_error') });
    assert.equal(await readCount(await post()), estimate);
    const longer = { ...ask, model: 'chat-model', [surface.system]: 'be brief '.repeat(50) };
    assert.ok((await readCount(await post(longer))) > estimate + 50);
  });

  test('200: a key that has used its limit may still count', async () => {
    const { apiKey } = await open().createAccount({ limit: 0n });
    assert.ok((await readCount(await post(ask, asKey(apiKey)))) > 0);
  });

  test('400: a body that is no prompt, naming the place', async () => {
    const cases: [unknown, Promised['code'], RegExp][] = [
      ['', 'invalid_json', /empty/],
      ['{"model":', 'invalid_json', /not valid JSON: line 1, column 10: expected a value, found the end$/],
      [Buffer.from([0x22, 0xff, 0x22]), 'invalid_utf8', /UTF-8/],
      ...surface.wrong.map((members): [unknown, Promised['code'], RegExp] => {
        return [{ ...ask, ...members }, 'invalid_request', new RegExp(Object.keys(members)[0] ?? '')];
      }),
    ];
    for (const [body, code, message] of cases) {
      assert.match(await refused(await post(body), { status: 400, code }), message);
    }
  });

  test('401: no key, and an unknown one', async () => {
    const none = await post(ask, { authorization: '' });
    await refused(none, { status: 401, code: 'missing_credential', row: 'none' });
    const unknown = await post(ask, asKey('slc_unknown'));
    await refused(unknown, { status: 401, code: 'invalid_credential', row: 'none' });
  });

  test('403: a credential that is no regular key', async () => {
    const admin = await open().accounts.directory.createAdminKey({ label: 'admin' });
    const response = await post(ask, asKey(admin.secret));
    await refused(response, { status: 403, code: 'wrong_credential', row: 'none' });
  });

  test('404: an unknown model, with the closest names', async () => {
    const response = await post({ ...ask, model: 'mesages-model' });
    assert.match(await refused(response, { status: 404, code: 'model_not_found' }), /messages-model/);
  });

  test('408: a body that stops before its end', async () => {
    await refused(await postHalf(open(), path), { status: 408, code: 'request_timeout' });
  });

  test('413: a body of more than 32 MiB', async () => {
    await refused(await postTooLarge(open(), path), { status: 413, code: 'body_too_large' });
  });

  test('415: a body that is not declared as JSON, or compressed', async () => {
    const text = await post(ask, { 'content-type': 'text/plain' });
    await refused(text, { status: 415, code: 'unsupported_media_type' });
    const packed = await post(ask, { 'content-encoding': 'br' });
    await refused(packed, { status: 415, code: 'unsupported_encoding' });
  });

  test('429: a count is a request of the key’s limits, and its tokens are not counted', async () => {
    const { apiKey, keyId } = await open().createAccount();
    await open().accounts.directory.updateKey(keyId, {
      rateLimits: { requestsPerMinute: 2, tokensPerMinute: 1 },
    });
    const bad = await post({ ...ask, ...surface.wrong[0] }, asKey(apiKey));
    assert.equal(bad.status, 400);
    for (const remaining of ['1', '0']) {
      const response = await post(ask, asKey(apiKey));
      assert.ok((await readCount(response)) > 1);
      assert.equal(response.headers.get('x-ratelimit-remaining-requests'), remaining);
      assert.equal(response.headers.get('x-ratelimit-remaining-tokens'), null);
    }
    const asked = open().upstream.truths.length;
    const response = await post(ask, asKey(apiKey));
    const message = await refused(response, { status: 429, code: 'rate_limit_exceeded' });
    assert.match(message, /2 requests per minute \(2 used\)/);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    assert.equal(open().upstream.truths.length, asked);
  });

  test('429: a count takes a place among concurrent requests until it is answered', async () => {
    const { apiKey, keyId } = await open().createAccount();
    await open().accounts.directory.updateKey(keyId, { rateLimits: { concurrency: 1 } });
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    open().upstream.script({ reply: (exchange) => released.then(() => fail(500, 'api_error')(exchange)) });
    const waiting = post(ask, asKey(apiKey));
    await until('the provider is asked', () => open().upstream.truths.length === 1);
    await refused(await post(ask, asKey(apiKey)), { status: 429, code: 'rate_limit_exceeded' });
    release(undefined);
    assert.equal((await waiting).status, 200);
    assert.ok((await readCount(await post(ask, asKey(apiKey)))) > 1);
  });

  test('500: a fault of the gateway, with details only for the operator', async () => {
    const { apiKey } = await open().createAccount();
    const response = await open().withoutTable('api_key', () => post(ask, asKey(apiKey)));
    const message = await refused(response, { status: 500, code: 'internal_error', row: 'none' });
    assert.equal(message, 'internal error');
    assert.equal((await post(ask, asKey(apiKey))).status, 200);
  });

  test('503: the database is unavailable: no count without its log row, which follows later', async () => {
    assert.equal((await post()).status, 200);
    open().line.cut();
    const startedMs = performance.now();
    const response = await post();
    assert.ok(performance.now() - startedMs < 2_000 + SLOWNESS_MS);
    assert.equal(response.headers.get('retry-after'), '2');
    await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
    open().line.mend();
    assert.equal((await open().waitForRow(response)).customer, '0');
  });

  test('503: the database is unavailable and the key is not cached', async () => {
    const { apiKey } = await open().createAccount();
    open().line.cut();
    const response = await post(ask, asKey(apiKey));
    await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
  });
}
