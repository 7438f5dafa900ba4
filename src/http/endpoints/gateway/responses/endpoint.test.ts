import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { proveOpenaiRefusals } from '../../../../../test/support/openai-refusals.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';

const PATH = '/v1/responses';
const ASK = { model: 'chat-model', max_output_tokens: 64, input: 'hello' };
const BODY_MS = 2_000;

const gateway = shareGateway({ limits: { bodyMs: BODY_MS } });

const post = (body: unknown = ASK, headers: Record<string, string> = {}) => gateway.post(PATH, body, headers);

/** Checks a refusal in the OpenAI shape and its row; returns its message. */
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'responses' });

for (const model of ['chat-model', 'messages-model']) {
  test(`200: a response from ${model} reports the cost of its log row`, async () => {
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
    [{ ...ASK, model: null }, 'invalid_request', /model/],
    [{ ...ASK, input: [] }, 'invalid_request', /input/],
    [{ ...ASK, input: 5 }, 'invalid_request', /^input: expected a string or an array, got a number$/],
    [{ ...ASK, input: [{ role: 'wizard', content: '' }] }, 'invalid_request', /input\[0\]\.role/],
    [{ model: 'chat-model', messages: [] }, 'wrong_format', /\/v1\/chat\/completions/],
    [{ ...ASK, background: true }, 'unsupported_feature', /background/],
    [{ ...ASK, tools: [{ type: 'local_shell' }] }, 'unsupported_feature', /local_shell/],
    [{ ...ASK, model: 'unpriced-model' }, 'unpriced_model', /no price/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

test('400: an id that holds a NUL is unknown, as any other that was never given out', async () => {
  const cases = [
    [{ ...ASK, previous_response_id: 'resp_\u0000' }, 'previous_response_not_found'],
    [{ ...ASK, input: [{ type: 'item_reference', id: 'msg_\u0000' }] }, 'invalid_request'],
  ] as const;
  for (const [body, code] of cases) await refused(await post(body), { status: 400, code });
});

proveRefusals({
  gateway: () => gateway,
  format: 'responses',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ ...ASK, model, stream }),
});
proveOpenaiRefusals({
  gateway: () => gateway,
  format: 'responses',
  ask: (reply) => {
    gateway.upstream.clear();
    gateway.upstream.script({ reply });
    return post();
  },
});
