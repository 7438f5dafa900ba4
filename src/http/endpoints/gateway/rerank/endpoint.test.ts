import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { proveRefusals } from '../../../../../test/support/generation-refusals.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../../../test/support/refusal.ts';
import { json } from '../../../../../test/support/upstream-media.ts';

const PATH = '/v1/rerank';
const ASK = { model: 'chat-model', query: 'what is it?', documents: ['this', { text: 'that' }] };

const gateway = shareGateway({ limits: { bodyMs: 2_000 } });

test('200: the most relevant first, with documents if requested, for the tokens the provider counted', async () => {
  const response = await gateway.post(PATH, { ...ASK, return_documents: true, top_n: 1 });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    id: 'rank-mock',
    model: 'chat-model',
    results: [{ index: 1, relevance_score: 0.1, document: { text: 'that' } }],
    usage: { total_tokens: 40 },
  });
  assert.equal((await gateway.getRow(response)).customer, String(40n * 3_000_000n));
});

test('200: Cohere’s own protocol, for the searches that it bills', async () => {
  const response = await gateway.post(PATH, { ...ASK, model: 'cohere-rerank', max_tokens_per_doc: 100 });
  assert.equal(response.status, 200, await response.clone().text());
  const { results, usage } = (await response.json()) as { results: object[]; usage: object };
  assert.deepEqual(results, [
    { index: 1, relevance_score: 0.1 },
    { index: 0, relevance_score: 0 },
  ]);
  assert.deepEqual(usage, { search_units: 2 });
  const [truth] = gateway.upstream.truths;
  assert.equal(truth?.path, '/v2/rerank');
  assert.deepEqual(truth.body, {
    model: 'cohere-rerank',
    query: ASK.query,
    documents: ['this', 'that'],
    max_tokens_per_doc: 100,
  });
  const row = await gateway.getRow(response);
  assert.deepEqual(row.units, [{ unit: 'search', count: 2 }]);
  // The hold was for one search: a caller never pays more than was held, and the operator bears the rest.
  assert.equal(row.customer, '2000000000');
  assert.equal(row.provider, '4000000000');
  assert.equal(row.estimated, false);
});

test('200: the hold covers all members of a document, which a provider may rank by', async () => {
  const documents = [{ text: 'this', title: 'x'.repeat(1_000) }];
  const results = [{ index: 0, relevance_score: 0.5 }];
  gateway.upstream.script({ reply: json(() => ({ results, usage: { total_tokens: 900 } })) });
  const response = await gateway.post(PATH, { ...ASK, documents });
  assert.deepEqual(gateway.upstream.truths[0]?.body['documents'], documents);
  assert.equal((await gateway.getRow(response)).customer, String(900n * 3_000_000n));
});

test('200: searches where tokens are charged, and tokens where searches are, are an estimate and never free', async () => {
  const results = [{ index: 0, relevance_score: 0.5 }];
  const cases: [string, JsonObject][] = [
    ['chat-model', { meta: { billed_units: { search_units: 2 } } }],
    ['cohere-rerank', { usage: { total_tokens: 40 } }],
  ];
  for (const [model, reported] of cases) {
    gateway.upstream.script({ reply: json(() => ({ results, ...reported })) });
    const response = await gateway.post(PATH, { ...ASK, model });
    assert.equal(response.status, 200);
    const row = await gateway.getRow(response);
    assert.deepEqual([row.estimated, BigInt(row.customer) > 0n], [true, true], model);
  }
});

test('400: what is no request, naming the place', async () => {
  const cases: [object, RegExp][] = [
    [{ ...ASK, query: '' }, /query/],
    [{ ...ASK, documents: [] }, /documents/],
    [{ ...ASK, documents: [7] }, /documents\[0\]/],
    [{ ...ASK, top_n: 1.5 }, /top_n/],
  ];
  for (const [body, message] of cases) {
    const expected: Promised = { format: 'chat', status: 400, code: 'invalid_request' };
    assert.match(await assertRefused(gateway, await gateway.post(PATH, body), expected), message);
  }
});

proveRefusals({
  gateway: () => gateway,
  format: 'chat',
  pathOf: () => PATH,
  bodyOf: (model) => ({ ...ASK, model }),
});
