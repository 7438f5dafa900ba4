import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { proveOpenaiRefusals } from '../../../../../test/support/openai-refusals.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';

const PATH = '/v1/chat/completions';
const ASK = { model: 'chat-model', max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] };
const BODY_MS = 2_000;

const gateway = shareGateway({ limits: { bodyMs: BODY_MS } });

const post = (body: unknown = ASK, headers: Record<string, string> = {}) => gateway.post(PATH, body, headers);

/** Checks a refusal in the OpenAI shape and its row; returns its message. */
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'chat' });

for (const model of ['chat-model', 'messages-model']) {
  test(`200: a completion from ${model} reports the cost of its log row`, async () => {
    const response = await post({ ...ASK, model });
    assert.equal(response.status, 200);
    const completion = (await response.json()) as Record<string, unknown>;
    assert.match(completion['id'] as string, /^(chatcmpl-|msg_)/);
    assert.equal(completion['object'], 'chat.completion');
    assert.equal(completion['model'], model);
    const [choice] = completion['choices'] as { message: object; finish_reason: string }[];
    assert.deepEqual(choice?.message, { role: 'assistant', content: 'echo: hello', refusal: null });
    assert.equal(choice.finish_reason, 'stop');
    const usage = completion['usage'] as Record<string, number>;
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'completed');
    const expected =
      3_000_000n * BigInt(usage['prompt_tokens']!) + 15_000_000n * BigInt(usage['completion_tokens']!);
    assert.equal(BigInt(row.customer), expected);
    assert.equal(usage['cost'], Number(expected) / 1e12);
    const { request_id } = completion['metadata'] as Record<string, unknown>;
    assert.equal(request_id, row.requestId);
  });

  test(`200: a stream from ${model} that ends in [DONE] once its row is written`, async () => {
    const response = await post({ ...ASK, model, stream: true });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const text = await response.text();
    assert.match(text, /data: \[DONE\]\n\n$/);
    assert.equal((await gateway.getRow(response)).finishReason, 'completed');
  });
}

test('400: a body that is no request, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    [{ ...ASK, model: null }, 'invalid_request', /model/],
    [{ ...ASK, messages: [] }, 'invalid_request', /messages/],
    [{ ...ASK, messages: [{ role: 'wizard', content: '' }] }, 'invalid_request', /messages\[0\]\.role/],
    [{ ...ASK, model: 'unpriced-model' }, 'unpriced_model', /no price/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model, stream) => ({ ...ASK, model, stream }),
});
proveOpenaiRefusals({
  gateway: () => gateway,
  format: 'chat',
  ask: (reply) => {
    gateway.upstream.clear();
    gateway.upstream.script({ reply });
    return post();
  },
});
