import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, SILENCE_MS, openInProcess } from '../../../../../test/support/in-process.ts';
import { postHalf } from '../../../../../test/support/raw-exchange.ts';
import { type Promised, assertFreeRow, assertRefused } from '../../../../../test/support/refusal.ts';
import {
  type Reply,
  answer,
  errorWithOk,
  fail,
  hang,
  overloaded,
  rateLimited,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from '../../../../../test/support/upstream-replies.ts';

const PATH = '/v1/messages';
const ASK = { model: 'messages-model', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] };
const MAX_BYTES = 32 * 1024 * 1024;
const BODY_MS = 300;

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

/** Checks a refusal in the Messages shape and its row; gives its message. */
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'messages' });

async function postTo(reply: Reply, body: object = ASK): Promise<Response> {
  gateway.upstream.clear();
  gateway.upstream.script({ reply });
  return post(body);
}

for (const model of ['messages-model', 'chat-model']) {
  test(`200: a Message from ${model}, whose row has the exact usage and cost`, async () => {
    const response = await post({ ...ASK, model });
    assert.equal(response.status, 200);
    const message = (await response.json()) as Record<string, unknown>;
    const { input_tokens, output_tokens } = message['usage'] as Record<string, number>;
    assert.match(message['id'] as string, /^msg_/);
    assert.equal(message['type'], 'message');
    assert.equal(message['role'], 'assistant');
    assert.equal(message['model'], model);
    assert.deepEqual(message['content'], [{ type: 'text', text: 'echo: hello' }]);
    assert.equal(message['stop_reason'], 'end_turn');
    assert.equal(message['stop_sequence'], null);
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'completed');
    assert.equal(
      BigInt(row.customer),
      3_000_000n * BigInt(input_tokens!) + 15_000_000n * BigInt(output_tokens!),
    );
    assert.equal(row.estimated, false);
  });

  test(`200: a stream from ${model} that ends in message_stop once its row is written`, async () => {
    const response = await post({ ...ASK, model, stream: true });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const text = await response.text();
    const events = [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
    assert.equal(events[0], 'message_start');
    assert.equal(events.at(-1), 'message_stop');
    assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  });
}

test('200: an answer of a project that keeps answers is replayed with its id, at no cost', async () => {
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const first = (await (await post(ASK, asKey(apiKey))).json()) as { id: string };
  const again = await post(ASK, asKey(apiKey));
  assert.equal(again.headers.get('x-gateway-cache'), 'HIT');
  assert.deepEqual(await again.json(), first);
  assert.equal((await gateway.getRow(again)).customer, '0');
  const fresh = await post(ASK, { ...asKey(apiKey), 'x-no-cache': 'true' });
  assert.equal(fresh.headers.get('x-gateway-cache'), null);
  assert.equal(gateway.upstream.truths.length, 2);
});

test('400: a body that is no request, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    ['', 'invalid_json', /empty/],
    ['{"model":', 'invalid_json', /not valid JSON/],
    ['[]', 'invalid_request', /JSON object/],
    [Buffer.from([0x22, 0xff, 0x22]), 'invalid_utf8', /UTF-8/],
    [`{"messages":${'['.repeat(200)}${']'.repeat(200)}}`, 'body_too_deep', /128/],
    [{ ...ASK, model: 7 }, 'invalid_request', /model/],
    [{ ...ASK, max_tokens: -1 }, 'invalid_request', /max_tokens/],
    [{ ...ASK, messages: [{ role: 'wizard', content: '' }] }, 'invalid_request', /messages\.0\.role/],
    [{ ...ASK, model: 'unpriced-model' }, 'unpriced_model', /no price/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

test('400: a body of the Chat format is told by its paths and sent to /v1/chat/completions', async () => {
  const body = {
    ...ASK,
    tools: [{ type: 'function', function: { name: 'f' } }],
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
      { role: 'assistant', content: null },
    ],
  };
  const message = await refused(await post(body), { status: 400, code: 'wrong_format' });
  for (const place of ['tools.0', 'messages.0.content.0', 'messages.1.content', '/v1/chat/completions'])
    assert.ok(message.includes(place), message);
});

test('400: a refusal of the provider in its own words, at cost 0', async () => {
  const words = 'prompt is too long: 300000 tokens > 200000 maximum';
  const response = await postTo(fail(400, 'invalid_request_error', { message: words }));
  assert.equal(await refused(response, { status: 400, code: 'request_refused' }), words);
});

test('401: no key, an unknown key, a key of another kind of installation, and a key that is off', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  const { apiKey: expired } = await gateway.createAccount({ expiresAt: gateway.clock.now() - 1_000 });
  assert.equal((await post(ASK, asKey(apiKey))).status, 200);
  await gateway.accounts.directory.disableKey(keyId);
  const cases: [string, Promised['code']][] = [
    ['', 'missing_credential'],
    ['Basic abc', 'invalid_credential'],
    ['Bearer sk-ant-something', 'invalid_credential'],
    [`Bearer ${apiKey.slice(0, -1)}`, 'invalid_credential'],
    [`Bearer ${apiKey}`, 'invalid_credential'],
    [`Bearer ${expired}`, 'invalid_credential'],
  ];
  for (const [authorization, code] of cases)
    await refused(await post(ASK, { authorization }), { status: 401, code, row: 'none' });
});

test('402: a key that has used its limit, saying which and how much is left', async () => {
  const { apiKey } = await gateway.createAccount({ limit: 1n });
  const message = await refused(await post(ASK, asKey(apiKey)), { status: 402, code: 'key_limit_reached' });
  assert.match(message, /limit of 0\.000000000001 USD and has used 0 USD/);
  assert.equal(gateway.upstream.truths.length, 0);
});

test('402: an organization without credits, saying how much is needed', async () => {
  const { apiKey } = await gateway.createAccount({ credits: 1n });
  const message = await refused(await post(ASK, asKey(apiKey)), { status: 402, code: 'credits_exhausted' });
  assert.match(message, /credits.*0\.000000000001 USD is left.*may cost up to/);
  assert.equal(gateway.upstream.truths.length, 0);
});

test('403: a credential that is no regular key', async () => {
  const admin = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  for (const secret of [admin.secret, 'slcadm_anything']) {
    const response = await post(ASK, asKey(secret));
    await refused(response, { status: 403, code: 'wrong_credential', row: 'none' });
  }
});

test('404: a model nobody knows, with the closest names', async () => {
  const response = await post({ ...ASK, model: 'mesages-model' });
  assert.match(await refused(response, { status: 404, code: 'model_not_found' }), /messages-model/);
});

test('404: a known model whose provider has no credential here', async () => {
  const response = await post({ ...ASK, model: 'anthropic/claude-sonnet-4-5' });
  const message = await refused(response, { status: 404, code: 'provider_not_configured' });
  assert.match(message, /ANTHROPIC_API_KEY/);
});

test('408: a body that stops before its end; the connection is closed', async () => {
  const startedMs = performance.now();
  const response = await postHalf(gateway, PATH);
  assert.ok(performance.now() - startedMs >= BODY_MS - 10);
  assert.equal(response.headers.get('connection'), 'close');
  await refused(response, { status: 408, code: 'request_timeout' });
});

test('409: a conflict at the provider, in its own words', async () => {
  const response = await postTo(fail(409, 'conflict_error', { message: 'the resource changed' }));
  assert.equal(response.status, 409);
  const { error } = (await response.json()) as { error: unknown };
  assert.deepEqual(error, { type: 'conflict_error', message: 'the resource changed' });
  assertFreeRow(await gateway.getRow(response), { status: 409, code: 'request_refused' });
});

test('413: a body of one byte more than 32 MiB; one of 32 MiB is taken', async () => {
  const text = JSON.stringify(ASK);
  const most = Buffer.alloc(MAX_BYTES, ' ');
  most.write(text);
  const taken = await post(most);
  assert.equal(taken.status, 200, await taken.text());
  const response = await post(Buffer.concat([most, Buffer.from(' ')]));
  assert.match(await refused(response, { status: 413, code: 'body_too_large' }), /33554432/);
});

test('415: a body that is not declared as JSON, or compressed', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/jsonp']) {
    const response = await post(ASK, { 'content-type': type });
    await refused(response, { status: 415, code: 'unsupported_media_type' });
  }
  for (const encoding of ['gzip', 'br', 'zstd', 'gzip, gzip']) {
    const response = await post(ASK, { 'content-encoding': encoding });
    await refused(response, { status: 415, code: 'unsupported_encoding' });
  }
});

test('422: a request the provider cannot process, in its own words', async () => {
  const response = await postTo(fail(422, 'invalid_request_error', { message: 'cannot be processed' }));
  const message = await refused(response, { status: 422, code: 'request_refused' });
  assert.equal(message, 'cannot be processed');
});

test('429: a provider that limits the rate, with its retry-after', async () => {
  const response = await postTo(rateLimited('7'));
  assert.equal(response.headers.get('retry-after'), '7');
  await refused(response, { status: 429, code: 'upstream_rate_limited' });
});

test('500: a fault of the gateway, of which only the operator learns more', async () => {
  const response = await gateway.withoutTable('hold', () => post());
  const message = await refused(response, { status: 500, code: 'internal_error' });
  assert.equal(message, 'internal error');
  const id = response.headers.get('x-request-id') ?? '';
  assert.ok(gateway.logLines.some((line) => line.includes(id) && line.includes('\\"hold\\"')));
  assert.equal(gateway.upstream.truths.length, 0);
  assert.equal((await post()).status, 200);
});

test('502: a provider that cannot be reached, breaks off, fails, or talks nonsense', async () => {
  const unreachable = await post({ ...ASK, model: 'closed-model' });
  await refused(unreachable, { status: 502, code: 'upstream_unreachable' });
  const cases: [Reply, Promised['code']][] = [
    [resetBeforeHeaders(), 'upstream_unreachable'],
    [resetMidBody(), 'upstream_broken'],
    [fail(500, 'api_error'), 'upstream_broken'],
    [errorWithOk(), 'upstream_broken'],
    [fail(401, 'authentication_error', { message: 'bad key mock-key' }), 'upstream_credential_refused'],
    [wrongContentType(), 'upstream_garbled'],
  ];
  for (const [reply, code] of cases) {
    const message = await refused(await postTo(reply), { status: 502, code });
    assert.doesNotMatch(message, /mock-key/);
  }
});

test('503: the database is away: refused within 2 s, nothing is sent, and the row follows', async () => {
  assert.equal((await post()).status, 200);
  gateway.line.cut();
  const startedMs = performance.now();
  const response = await post();
  assert.ok(performance.now() - startedMs < 2_000);
  assert.equal(response.headers.get('retry-after'), '2');
  await refused(response.clone(), { status: 503, code: 'store_unavailable', row: 'none' });
  assert.equal(gateway.upstream.truths.length, 1);
  gateway.line.mend();
  await gateway.waitForRow(response);
  await refused(response, { status: 503, code: 'store_unavailable' });
});

test('503: the database is away and the key was never seen', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  const response = await post(ASK, asKey(apiKey));
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
});

test('503: the database goes away while the provider answers: what is not settled is not shown', async () => {
  const response = await postTo(async (exchange) => {
    gateway.line.cut();
    await answer({ text: 'a secret of the model' })(exchange);
  });
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
  gateway.line.mend();
  await gateway.waitForRow(response);
});

test('504: a provider that accepts and does not begin its stream in time', async () => {
  const startedMs = performance.now();
  const response = await postTo(hang(), { ...ASK, stream: true });
  assert.ok(performance.now() - startedMs >= SILENCE_MS - 10);
  await refused(response, { status: 504, code: 'upstream_timed_out' });
});

test('529: a provider that is overloaded, as Anthropic says it', async () => {
  for (const status of [529, 503] as const) {
    const response = await postTo(overloaded(status));
    await refused(response, { status: 529, code: 'upstream_overloaded' });
  }
});

test('529: a stream that is refused before its first event has a real status', async () => {
  const response = await postTo(overloaded(), { ...ASK, stream: true });
  await refused(response, { status: 529, code: 'upstream_overloaded' });
});
