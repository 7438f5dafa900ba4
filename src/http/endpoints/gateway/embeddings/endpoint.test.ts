import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { json } from '../../../../../test/support/upstream-media.ts';

const PATH = '/v1/embeddings';
const ASK = { model: 'chat-model', input: ['one', 'two'] };
const INPUT_PRICE = 3_000_000n;

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

interface Answer {
  object: string;
  model: string;
  data: { index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number };
}

async function ask(body: object = ASK, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await gateway.post(PATH, body, headers);
  assert.equal(response.status, 200, await response.clone().text());
  const row = await gateway.getRow(response);
  assert.equal(row.finishReason, 'completed');
  assert.equal(row.endpoint, PATH);
  assert.equal(BigInt(row.customer), INPUT_PRICE * BigInt(row.usage.inputUncached));
  return (await response.json()) as Answer;
}

test('200: vectors in the order of the texts, under the model’s own name at the provider, for what the provider counted', async () => {
  const answer = await ask({ ...ASK, user: 'me' });
  assert.deepEqual(
    answer.data.map(({ embedding }) => embedding),
    [
      [0, 0.5, -0.25],
      [1, 0.5, -0.25],
    ],
  );
  assert.equal(answer.model, 'chat-model');
  assert.equal(answer.usage.prompt_tokens, 6);
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v1/embeddings');
  assert.deepEqual(truth.body, { ...ASK, user: 'me' });
});

test('200: vectors have the requested encoding, also from a provider that supports only one', async () => {
  const floats = [0, 0.5, -0.25];
  const packed = Buffer.from(new Float32Array(floats).buffer).toString('base64');
  const usage = { prompt_tokens: 3, total_tokens: 3 };
  for (const [asked, sent, expected] of [
    ['base64', floats, packed],
    ['base64', packed, packed],
    ['float', packed, floats],
    [undefined, packed, floats],
    ['float', floats, floats],
  ] as const) {
    const data = [{ object: 'embedding', index: 0, embedding: typeof sent === 'string' ? sent : [...sent] }];
    gateway.upstream.script({ reply: json(() => ({ object: 'list', data, model: 'm', usage })) });
    const answer = await ask({ ...ASK, input: 'one', ...(asked && { encoding_format: asked }) });
    assert.deepEqual(answer.data[0]?.embedding, expected, `${String(asked)} of ${typeof sent}`);
  }
});

test('200: many vectors are requested as base64, because as numbers they may exceed the limit of an answer', async () => {
  const input = Array.from({ length: 2_048 }, () => 'one');
  const answer = await ask({ ...ASK, input, encoding_format: 'float' });
  assert.equal(gateway.upstream.truths[0]?.body['encoding_format'], 'base64');
  assert.deepEqual([answer.data.length, answer.data.at(-1)?.embedding], [2_048, [2_047, 0.5, -0.25]]);
});

test('200: Google’s models in the same form, optionally as base64, with usage marked as an estimate', async () => {
  const response = await gateway.post(PATH, {
    model: 'gemini-model',
    input: ['one', 'two'],
    dimensions: 3,
    encoding_format: 'base64',
  });
  const { data } = (await response.json()) as Answer;
  const floats = data.map(({ embedding }) => [
    ...new Float32Array(new Uint8Array(Buffer.from(String(embedding), 'base64')).buffer),
  ]);
  assert.deepEqual(floats, [
    [0, 0.5, -0.25],
    [1, 0.5, -0.25],
  ]);
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v1/models/gemini-model:batchEmbedContents');
  const { requests } = truth.body as { requests: JsonObject[] };
  assert.deepEqual(requests[1], {
    model: 'models/gemini-model',
    content: { parts: [{ text: 'two' }] },
    outputDimensionality: 3,
  });
  const row = await gateway.getRow(response);
  assert.equal(row.estimated, true);
  assert.equal(row.usage.inputUncached, 2);
  assert.equal(BigInt(row.customer), 2n * INPUT_PRICE);
});

test('200: Cohere’s models in the same form, for the tokens that it bills', async () => {
  const response = await gateway.post(PATH, {
    model: 'cohere-embed',
    input: 'one',
    input_type: 'search_query',
  });
  const { data, usage } = (await response.json()) as Answer;
  assert.deepEqual(data[0]?.embedding, [0, 0.5, -0.25]);
  assert.equal(usage.prompt_tokens, 4);
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v2/embed');
  assert.deepEqual(truth.body, {
    model: 'cohere-embed',
    texts: ['one'],
    input_type: 'search_query',
    embedding_types: ['float'],
  });
  assert.equal((await gateway.getRow(response)).customer, String(4n * 120_000n));
});

test('200: a usage of 0 is replaced with an estimate', async () => {
  const usage = { prompt_tokens: 0, total_tokens: 0 };
  const data = [0, 1].map((index) => ({ object: 'embedding', index, embedding: [1] }));
  gateway.upstream.script({ reply: json(() => ({ object: 'list', data, usage })) });
  const response = await gateway.post(PATH, ASK);
  const row = await gateway.getRow(response);
  assert.deepEqual([row.usage.inputUncached, row.estimated], [2, true]);
});

test('200: from the next provider where the first cannot be reached, at the next one’s price', async () => {
  const response = await gateway.post(PATH, { ...ASK, model: 'shared-model' });
  assert.equal(response.status, 200);
  const row = await gateway.getRow(response);
  assert.deepEqual(
    row.attempts.map(({ providerId, outcome }) => [providerId, outcome]),
    [
      ['closed', 'unreachable'],
      ['mock-spare', 'answered'],
    ],
  );
  assert.equal(row.customer, String(6n * 4_000_000n));
});

test('403: a model that a rule of the project forbids, though it could embed', async () => {
  const { apiKey, projectId } = await gateway.createAccount();
  const rule = { layer: 'project', type: 'deny-models', values: ['chat-*'] } as const;
  await gateway.accounts.directory.addRule({ ...rule, subjectId: projectId });
  const response = await gateway.post(PATH, ASK, { authorization: `Bearer ${apiKey}` });
  await assertRefused(gateway, response, { format: 'chat', status: 403, code: 'model_not_allowed' });
  assert.equal(gateway.upstream.truths.length, 0);
});

test('200: a byte-identical request of a project that caches is replayed at no cost', async () => {
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const headers = { authorization: `Bearer ${apiKey}` };
  const first = await ask(ASK, headers);
  const second = await gateway.post(PATH, ASK, headers);
  assert.equal(second.headers.get('x-gateway-cache'), 'HIT');
  assert.deepEqual(await second.json(), first);
  assert.equal((await gateway.getRow(second)).customer, '0');
  assert.equal(gateway.upstream.truths.length, 1);
});

test('400: what is no request, naming the place', async () => {
  const cases: [unknown, Promised['code'], RegExp][] = [
    [{ input: 'x' }, 'invalid_request', /model: is required/],
    [{ model: 'chat-model' }, 'invalid_request', /input: is required/],
    [{ ...ASK, input: '' }, 'invalid_request', /input/],
    [{ ...ASK, input: ['a', 7] }, 'invalid_request', /^input\[1\]: must be string/],
    [{ ...ASK, input: [] }, 'invalid_request', /^input: must not have fewer than 1 items/],
    [
      { ...ASK, input: Array(2_049).fill('a') },
      'invalid_request',
      /^input: must not have more than 2048 items/,
    ],
    [{ ...ASK, dimensions: 0 }, 'invalid_request', /dimensions/],
    [{ ...ASK, model: 'messages-model' }, 'wrong_operation', /\/v1\/chat\/completions/],
    [{ ...ASK, model: 'gemini-model', input: [1, 2] }, 'unsupported_feature', /input\[0\]/],
  ];
  for (const [body, code, message] of cases) {
    const response = await gateway.post(PATH, body);
    assert.match(await assertRefused(gateway, response, { format: 'chat', status: 400, code }), message);
  }
  assert.equal(gateway.upstream.truths.length, 0);
});

test('502: an answer that is JSON but holds no vectors', async () => {
  gateway.upstream.script({ reply: json(() => ({ object: 'list' })) });
  const response = await gateway.post(PATH, ASK);
  await assertRefused(gateway, response, { format: 'chat', status: 502, code: 'upstream_garbled' });
});

test('502: an answer with fewer vectors than inputs', async () => {
  const data = [{ object: 'embedding', index: 0, embedding: [1] }];
  gateway.upstream.script({ reply: json(() => ({ object: 'list', data, usage: { prompt_tokens: 6 } })) });
  const response = await gateway.post(PATH, ASK);
  await assertRefused(gateway, response, { format: 'chat', status: 502, code: 'upstream_garbled' });
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model) => ({ ...ASK, model }),
});

test('400: a service tier that may change the price is refused by name, and no provider is asked', async () => {
  const response = await gateway.post(PATH, { ...ASK, service_tier: 'Priority' });
  const message = await assertRefused(gateway, response, {
    format: 'chat',
    status: 400,
    code: 'unpriced_option',
  });
  assert.match(message, /^service_tier: "priority" has no known price/);
  assert.equal(gateway.upstream.truths.length, 0);
  await ask({ ...ASK, service_tier: 'default' });
});
