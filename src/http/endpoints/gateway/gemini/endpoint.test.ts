import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { type Promised, assertFreeRow, assertRefused } from '../../../../../test/support/refusal.ts';
import { type Reply, fail, overloaded } from '../../../../../test/support/upstream-replies.ts';

const pathOf = (model: string, method = 'generateContent'): string => `/v1beta/models/${model}:${method}`;
const PATH = pathOf('chat-model');
const ASK = {
  contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  generationConfig: { maxOutputTokens: 64 },
};
const BODY_MS = 2_000;

const gateway = shareGateway({ limits: { bodyMs: BODY_MS } });

const post = (body: unknown = ASK, headers: Record<string, string> = {}, path = PATH) =>
  gateway.post(path, body, headers);
const postAt = (path: string, body: unknown = ASK) => post(body, {}, path);
const asKey = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** Checks a refusal in Google’s shape and its row; returns its message. */
const refused = (response: Response, expected: Omit<Promised, 'format'>) =>
  assertRefused(gateway, response, { ...expected, format: 'gemini' });

async function postTo(reply: Reply, path = PATH): Promise<Response> {
  gateway.upstream.clear();
  gateway.upstream.script({ reply });
  return postAt(path);
}

async function assertPassedOn(response: Response, status: number, message: string): Promise<void> {
  assert.equal(response.status, status);
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  assert.deepEqual([error['code'], error['message']], [status, message]);
  assertFreeRow(await gateway.getRow(response), { status, code: 'request_refused' });
}

interface Answer {
  candidates: { content: { parts: object[]; role: string }; finishReason?: string }[];
  usageMetadata?: { promptTokenCount: number; candidatesTokenCount: number };
  modelVersion: string;
}

for (const model of ['chat-model', 'messages-model', 'gemini-model']) {
  test(`200: an answer from ${model} whose row has its usage and cost`, async () => {
    const response = await postAt(pathOf(model));
    assert.equal(response.status, 200);
    const { candidates, usageMetadata, modelVersion } = (await response.json()) as Answer;
    assert.deepEqual(candidates[0]?.content, { parts: [{ text: 'echo: hello' }], role: 'model' });
    assert.equal(candidates[0].finishReason, 'STOP');
    assert.equal(modelVersion, model);
    const row = await gateway.getRow(response);
    assert.equal(row.finishReason, 'completed');
    assert.equal(row.endpoint, '/v1beta/models/{model}:generateContent');
    assert.equal(row.format, 'gemini');
    const { promptTokenCount = 0, candidatesTokenCount = 0 } = usageMetadata ?? {};
    assert.equal(
      BigInt(row.customer),
      3_000_000n * BigInt(promptTokenCount) + 15_000_000n * BigInt(candidatesTokenCount),
    );
  });

  test(`200: a stream from ${model}, with or without alt=sse, that ends once its row is written`, async () => {
    for (const query of ['?alt=sse', '']) {
      const response = await postAt(`${pathOf(model, 'streamGenerateContent')}${query}`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      const text = await response.text();
      assert.doesNotMatch(text, /^event:/m);
      const chunks = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Answer);
      const said = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts as { text?: string }[]);
      assert.equal(said.map((part) => part.text ?? '').join(''), 'echo: hello');
      assert.equal(chunks.at(-1)?.candidates[0]?.finishReason, 'STOP');
      assert.ok(chunks.at(-1)?.usageMetadata);
      assert.equal((await gateway.getRow(response)).finishReason, 'completed');
    }
  });
}

test('200: names with a slash, other prefixes and escapes lead to the same model', async () => {
  const paths = [
    '/v1beta/models/mock-chat/chat-model:generateContent',
    '/v1beta/models/mock-chat%2Fchat-model:generateContent',
    '/v1/models/chat-model:generateContent',
  ];
  for (const path of paths) {
    const response = await postAt(path);
    assert.equal(response.status, 200, path);
    await response.text();
  }
});

test('200: the key may come in x-goog-api-key or in the address, and is then nowhere else', async () => {
  const { apiKey } = await gateway.createAccount();
  const none = { authorization: '' };
  const answers = [
    await post(ASK, { ...none, 'x-goog-api-key': apiKey }),
    await post(ASK, none, `${PATH}?key=${apiKey}`),
    await post(ASK, { ...none, 'x-goog-api-key': apiKey }, `${PATH}?key=${apiKey}`),
  ];
  for (const response of answers) {
    assert.equal(response.status, 200);
    assert.doesNotMatch(
      JSON.stringify(await gateway.getRow(response), (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
      new RegExp(apiKey),
    );
  }
  assert.ok(gateway.logLines.every((line) => !line.includes(apiKey)));
  assert.ok(gateway.upstream.truths.every((truth) => !JSON.stringify(truth.headers).includes(apiKey)));
});

test('200: counts the tokens of contents or of a whole request', async () => {
  const path = pathOf('chat-model', 'countTokens');
  const whole = {
    generateContentRequest: {
      model: 'models/chat-model',
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      ...ASK,
    },
  };
  const counts: number[] = [];
  for (const body of [ASK, whole]) {
    const response = await postAt(path, body);
    assert.equal(response.status, 200);
    counts.push(((await response.json()) as { totalTokens: number }).totalTokens);
    const { customer, modelId, endpoint } = await gateway.getRow(response);
    assert.deepEqual(
      [customer, modelId, endpoint],
      ['0', 'chat-model', '/v1beta/models/{model}:countTokens'],
    );
  }
  assert.ok((counts[0] ?? 0) > 0 && (counts[1] ?? 0) > (counts[0] ?? 0), counts.join());
});

test('200: the response cache distinguishes the model and streaming, which are in the path', async () => {
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const ask = async (path: string) => {
    const response = await post(ASK, asKey(apiKey), path);
    const text = await response.text();
    return [response.headers.get('x-gateway-cache'), text.startsWith('{')];
  };
  assert.deepEqual(await ask(PATH), [null, true]);
  assert.deepEqual(await ask(PATH), ['HIT', true]);
  assert.deepEqual(await ask(pathOf('messages-model')), [null, true]);
  assert.deepEqual(await ask(pathOf('chat-model', 'streamGenerateContent')), [null, false]);
  assert.deepEqual(await ask(pathOf('chat-model', 'streamGenerateContent')), ['HIT', false]);
});

test('400: a body that is no request, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    [{ ...ASK, contents: [] }, 'invalid_request', /contents/],
    [{ contents: [{ role: 'wizard', parts: [] }] }, 'invalid_request', /contents\[0\]\.role/],
    [{ messages: [] }, 'wrong_format', /\/v1\/chat\/completions/],
    [{ ...ASK, cachedContent: 'cachedContents/1' }, 'unsupported_feature', /cachedContent/],
  ];
  for (const [body, code, message] of cases) {
    assert.match(await refused(await post(body), { status: 400, code }), message);
  }
  const unpriced = await postAt(pathOf('unpriced-model'));
  await refused(unpriced, { status: 400, code: 'unpriced_model' });
});

test('400: passes on the message of a refusal of the provider, at cost 0', async () => {
  await assertPassedOn(
    await postTo(fail(400, 'invalid_request_error', { message: 'too long' })),
    400,
    'too long',
  );
});

test('401: two different keys, whichever way they come', async () => {
  const { apiKey } = await gateway.createAccount();
  for (const response of [
    await post(ASK, { 'x-goog-api-key': apiKey }),
    await post(ASK, {}, `${PATH}?key=${apiKey}`),
  ])
    await refused(response, { status: 401, code: 'conflicting_credentials', row: 'none' });
});

test('404: an unknown method or path, in Google’s error format', async () => {
  for (const path of [pathOf('chat-model', 'embedContent'), '/v1beta/tunedModels/mine', '/v1beta/files'])
    await refused(await postAt(path), { status: 404, code: 'not_found', row: 'none' });
});

test('409: passes on the message of a conflict at the provider', async () => {
  await assertPassedOn(
    await postTo(fail(409, 'conflict', { message: 'changed meanwhile' })),
    409,
    'changed meanwhile',
  );
});

test('422: passes on the provider’s message for a request it cannot process', async () => {
  await assertPassedOn(await postTo(fail(422, 'invalid', { message: 'too hot' })), 422, 'too hot');
});

test('503: a provider that is overloaded', async () => {
  for (const status of [529, 503] as const) {
    const response = await postTo(overloaded(status));
    await refused(response, { status: 503, code: 'upstream_overloaded' });
  }
});

proveRefusals({
  gateway: () => gateway,
  format: 'gemini',
  pathOf: (model, stream) => pathOf(model, stream ? 'streamGenerateContent' : 'generateContent'),
  bodyOf: () => ASK,
});
