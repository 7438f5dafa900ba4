import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { type Promised, assertFreeRow, assertRefused } from '../../../../../test/support/refusal.ts';
import { type Reply, answer, fail, overloaded } from '../../../../../test/support/upstream-replies.ts';
import { SLOWNESS_MS } from '../../../../../test/support/within.ts';

const PATH = '/v1/messages';
const ASK = { model: 'messages-model', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] };
const MAX_BYTES = 32 * 1024 * 1024;
const BODY_MS = 2_000;

const gateway = shareGateway({ limits: { bodyMs: BODY_MS } });

const post = (body: unknown = ASK, headers: Record<string, string> = {}) => gateway.post(PATH, body, headers);
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** Checks a refusal in the Messages shape and its row; returns its message. */
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
    [{ ...ASK, model: 7 }, 'invalid_request', /model/],
    [{ ...ASK, max_tokens: -1 }, 'invalid_request', /max_tokens/],
    [{ ...ASK, messages: [{ role: 'wizard', content: '' }] }, 'invalid_request', /messages\.0\.role/],
    [{ ...ASK, model: 'unpriced-model' }, 'unpriced_model', /no price/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

test('400: a Chat body is recognized by its fields and referred to /v1/chat/completions', async () => {
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

test('400: passes on the message of a refusal of the provider, at cost 0', async () => {
  const words = 'prompt is too long: 300000 tokens > 200000 maximum';
  const response = await postTo(fail(400, 'invalid_request_error', { message: words }));
  assert.equal(await refused(response, { status: 400, code: 'request_refused' }), words);
});

test('404: a known model whose provider has no credential here', async () => {
  const response = await post({ ...ASK, model: 'anthropic/claude-sonnet-4-5' });
  const message = await refused(response, { status: 404, code: 'provider_not_configured' });
  assert.match(message, /ANTHROPIC_API_KEY/);
});

test('409: passes on the message of a conflict at the provider', async () => {
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

test('422: passes on the provider’s message for a request it cannot process', async () => {
  const response = await postTo(fail(422, 'invalid_request_error', { message: 'cannot be processed' }));
  const message = await refused(response, { status: 422, code: 'request_refused' });
  assert.equal(message, 'cannot be processed');
});

test('503: the database is unavailable: refused within 2 s, nothing is sent, and the log row follows', async () => {
  assert.equal((await post()).status, 200);
  gateway.line.cut();
  const startedMs = performance.now();
  const response = await post();
  assert.ok(performance.now() - startedMs < 2_000 + SLOWNESS_MS);
  assert.equal(response.headers.get('retry-after'), '2');
  await refused(response.clone(), { status: 503, code: 'store_unavailable', row: 'none' });
  assert.equal(gateway.upstream.truths.length, 1);
  gateway.line.mend();
  await gateway.waitForRow(response);
  await refused(response, { status: 503, code: 'store_unavailable' });
});

test('503: the database is unavailable and the key is not cached', async () => {
  const { apiKey } = await gateway.createAccount();
  gateway.line.cut();
  const response = await post(ASK, asKey(apiKey));
  await refused(response, { status: 503, code: 'store_unavailable', row: 'none' });
});

test('200: the database fails while the provider answers: the answer is complete, and its log row follows', async () => {
  const response = await postTo(async (exchange) => {
    gateway.line.cut();
    await answer({ text: 'what the model says' })(exchange);
  });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /what the model says/);
  assert.equal(await gateway.findRow(response.headers.get('x-request-id') ?? ''), undefined);
  gateway.line.mend();
  assert.ok(BigInt((await gateway.waitForRow(response)).customer) > 0n);
});

test('529: an overloaded provider, in Anthropic’s error format', async () => {
  for (const status of [529, 503] as const) {
    const response = await postTo(overloaded(status));
    await refused(response, { status: 529, code: 'upstream_overloaded' });
  }
});

test('529: a stream that is refused before its first event has a real status', async () => {
  const response = await postTo(overloaded(), { ...ASK, stream: true });
  await refused(response, { status: 529, code: 'upstream_overloaded' });
});

proveRefusals({
  gateway: () => gateway,
  format: 'messages',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ ...ASK, model, stream }),
});
