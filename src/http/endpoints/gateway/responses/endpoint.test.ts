import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, SILENCE_MS, openInProcess } from '../../../../../test/support/in-process.ts';
import { postHalf } from '../../../../../test/support/raw-exchange.ts';
import { type Promised, assertFreeRow, assertRefused } from '../../../../../test/support/refusal.ts';
import {
  type Reply,
  fail,
  hang,
  overloaded,
  rateLimited,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from '../../../../../test/support/upstream-replies.ts';

const PATH = '/v1/responses';
const ASK = { model: 'chat-model', max_output_tokens: 64, input: 'hello' };
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

/** Checks a refusal in the OpenAI shape and its row; gives its message. */
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'responses' });

async function postTo(reply: Reply, body: object = ASK): Promise<Response> {
  gateway.upstream.clear();
  gateway.upstream.script({ reply });
  return post(body);
}

async function assertPassedOn(response: Response, status: number, error: object): Promise<void> {
  assert.equal(response.status, status);
  assert.deepEqual(await response.json(), { error });
  assertFreeRow(await gateway.getRow(response), { status, code: 'request_refused' });
}

for (const model of ['chat-model', 'messages-model']) {
  test(`200: a response from ${model} that tells the cost its row has`, async () => {
    const response = await post({ ...ASK, model, metadata: { mine: 'yes' } });
    assert.equal(response.status, 200);
    const body = (await response.json()) as Record<string, unknown>;
    assert.match(body['id'] as string, /^resp_\w{24}$/);
    assert.equal(body['object'], 'response');
    assert.equal(body['model'], model);
    assert.equal(body['status'], 'completed');
    assert.deepEqual(body['metadata'], { mine: 'yes' });
    const [message] = body['output'] as { content: object[] }[];
    assert.deepEqual(message?.content, [
      { type: 'output_text', annotations: [], logprobs: [], text: 'echo: hello' },
    ]);
    const usage = body['usage'] as Record<string, number>;
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'completed');
    assert.equal(row.format, 'responses');
    const expected =
      3_000_000n * BigInt(usage['input_tokens']!) + 15_000_000n * BigInt(usage['output_tokens']!);
    assert.equal(BigInt(row.customer), expected);
    assert.equal(usage['cost'], Number(expected) / 1e12);
  });

  test(`200: a stream from ${model} that ends in response.completed once its row is written`, async () => {
    const response = await post({ ...ASK, model, stream: true });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const text = await response.text();
    assert.match(text, /^event: response\.created\ndata: /);
    assert.match(text, /event: response\.completed\ndata: .*\n\n$/);
    assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  });
}

test('400: a body that is no request, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    ['', 'invalid_json', /empty/],
    ['{"model":', 'invalid_json', /not valid JSON/],
    ['7', 'invalid_request', /JSON object/],
    [Buffer.from([0x22, 0xc0, 0x22]), 'invalid_utf8', /UTF-8/],
    [`{"input":${'['.repeat(200)}${']'.repeat(200)}}`, 'body_too_deep', /128/],
    [{ ...ASK, model: null }, 'invalid_request', /model/],
    [{ ...ASK, input: [] }, 'invalid_request', /input/],
    [{ ...ASK, input: [{ role: 'wizard', content: '' }] }, 'invalid_request', /input\.0\.role/],
    [{ model: 'chat-model', messages: [] }, 'wrong_format', /\/v1\/chat\/completions/],
    [{ ...ASK, background: true }, 'unsupported_feature', /background/],
    [{ ...ASK, tools: [{ type: 'local_shell' }] }, 'unsupported_feature', /local_shell/],
    [{ ...ASK, model: 'unpriced-model' }, 'unpriced_model', /no price/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

test('400: a refusal of the provider with its own words, type, param and code, at cost 0', async () => {
  const response = await postTo(fail(400, 'context_length_exceeded', { message: 'too long' }));
  const code = 'context_length_exceeded';
  await assertPassedOn(response, 400, { message: 'too long', type: code, param: null, code });
});

test('401: no key, an unknown key, another scheme, and a key that is off', async () => {
  const { apiKey, keyId } = await gateway.createAccount();
  assert.equal((await post(ASK, asKey(apiKey))).status, 200);
  await gateway.accounts.directory.disableKey(keyId);
  const cases: [string, Promised['code']][] = [
    ['', 'missing_credential'],
    ['Basic abc', 'invalid_credential'],
    ['bearer slc_anything', 'invalid_credential'],
    ['Bearer sk-something', 'invalid_credential'],
    [`Bearer  ${gateway.account.apiKey}`, 'invalid_credential'],
    [`Bearer ${apiKey}`, 'invalid_credential'],
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
  const response = await post({ ...ASK, model: 'chat-modell' });
  assert.match(await refused(response, { status: 404, code: 'model_not_found' }), /chat-model/);
});

test('408: a body that stops before its end; the connection is closed', async () => {
  const response = await postHalf(gateway, PATH);
  assert.equal(response.headers.get('connection'), 'close');
  await refused(response, { status: 408, code: 'request_timeout' });
});

test('409: a conflict at the provider, in its own words', async () => {
  const response = await postTo(fail(409, 'conflict', { message: 'changed meanwhile' }));
  await assertPassedOn(response, 409, {
    message: 'changed meanwhile',
    type: 'conflict',
    param: null,
    code: 'conflict',
  });
});

test('413: a body of more than 32 MiB', async () => {
  const response = await post(Buffer.alloc(32 * 1024 * 1024 + 1, ' '));
  await refused(response, { status: 413, code: 'body_too_large' });
});

test('415: a body that is not declared as JSON, or compressed', async () => {
  const text = await post(ASK, { 'content-type': 'text/plain' });
  await refused(text, { status: 415, code: 'unsupported_media_type' });
  const packed = await post(ASK, { 'content-encoding': 'gzip' });
  await refused(packed, { status: 415, code: 'unsupported_encoding' });
});

test('422: a request the provider cannot process, in its own words', async () => {
  const response = await postTo(fail(422, 'invalid', { message: 'temperature: too hot' }));
  await assertPassedOn(response, 422, {
    message: 'temperature: too hot',
    type: 'invalid',
    param: null,
    code: 'invalid',
  });
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
  assert.equal(gateway.upstream.truths.length, 0);
  assert.equal((await post()).status, 200);
});

test('502: a provider that cannot be reached, breaks off, fails, or talks nonsense', async () => {
  const unreachable = await post({ ...ASK, model: 'closed-model' });
  await refused(unreachable, { status: 502, code: 'upstream_unreachable' });
  const cases: [Reply, Promised['code']][] = [
    [resetBeforeHeaders(), 'upstream_unreachable'],
    [resetMidBody(), 'upstream_broken'],
    [fail(500, 'server_error'), 'upstream_broken'],
    [fail(401, 'invalid_api_key', { message: 'bad key mock-key' }), 'upstream_credential_refused'],
    [wrongContentType(), 'upstream_garbled'],
  ];
  for (const [reply, code] of cases) {
    const message = await refused(await postTo(reply), { status: 502, code });
    assert.doesNotMatch(message, /mock-key/);
  }
});

test('503: the database is away: refused within 2 s, and nothing is sent', async () => {
  assert.equal((await post()).status, 200);
  gateway.line.cut();
  const startedMs = performance.now();
  const response = await post();
  assert.ok(performance.now() - startedMs < 2_000);
  assert.equal(response.headers.get('retry-after'), '2');
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
  assert.equal(gateway.upstream.truths.length, 1);
});

test('503: a provider that is overloaded', async () => {
  for (const status of [529, 503] as const) {
    const response = await postTo(overloaded(status));
    await refused(response, { status: 503, code: 'upstream_overloaded' });
  }
});

test('504: a provider that accepts and does not begin its stream in time', async () => {
  const startedMs = performance.now();
  const response = await postTo(hang(), { ...ASK, stream: true });
  assert.ok(performance.now() - startedMs >= SILENCE_MS - 10);
  await refused(response, { status: 504, code: 'upstream_timed_out' });
});
