import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { answer } from '../../../test/support/upstream-replies.ts';
import { json } from '../../../test/support/upstream-media.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const ABSURD: JsonValue[] = [-5, 1e308, 2 ** 53, 0.5, 'many'];
const TEXT = 'a short answer of a few words';
const MESSAGES = [{ role: 'user', content: 'hello' }];

interface Case {
  path: string;
  body: JsonObject;
  /** The provider's usage with one absurd count. */
  usages: (count: JsonValue) => JsonObject[];
}

const CASES: Record<string, Case> = {
  chat: {
    path: '/v1/chat/completions',
    body: {
      model: 'chat-model',
      messages: MESSAGES,
      max_tokens: 500,
      stream_options: { include_usage: true },
    },
    usages: (count) => [
      { prompt_tokens: 5, completion_tokens: count, total_tokens: 10 },
      { prompt_tokens: count, completion_tokens: 5, total_tokens: 10 },
      { prompt_tokens: 5, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: count } },
    ],
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'messages-model', messages: MESSAGES, max_tokens: 500 },
    usages: (count) => [
      { input_tokens: 5, output_tokens: count },
      { input_tokens: 5, output_tokens: 5, cache_read_input_tokens: count },
    ],
  },
  gemini: {
    path: '/v1/chat/completions',
    body: { model: 'gemini-model', messages: MESSAGES, max_tokens: 500 },
    usages: (count) => [{ promptTokenCount: 5, candidatesTokenCount: count, totalTokenCount: 10 }],
  },
};

for (const [name, { path, body, usages }] of Object.entries(CASES)) {
  for (const stream of [false, true]) {
    test(`${name}${stream ? ', streamed' : ''}: an impossible usage is estimated, and never costs the whole hold`, async () => {
      const held = 500n * 15_000_000n;
      for (const usage of ABSURD.flatMap(usages)) {
        gateway.upstream.clear();
        gateway.upstream.script({ reply: answer({ text: TEXT, usage }) });
        const response = await gateway.post(path, { ...body, ...(stream && { stream }) });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        const row = await gateway.getRow(response);
        const reported = JSON.stringify(usage);
        assert.equal(row.estimated, true, reported);
        assert.ok(row.usage.inputUncached > 0 && row.usage.inputUncached < 1_000, reported);
        assert.equal(row.usage.outputText, Math.ceil(TEXT.length / 4), reported);
        assert.ok(
          BigInt(row.customer) > 0n && BigInt(row.customer) < held / 5n,
          `${reported}: ${row.customer}`,
        );
        assert.equal(row.customer, row.provider, reported);
      }
    });
  }
}

test('what a provider reports as zero is estimated, and what it reports besides is not', async () => {
  const cases: [keyof typeof CASES, JsonObject, input: number | undefined, output: number][] = [
    ['chat', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, undefined, 8],
    ['chat', { completion_tokens: 5 }, undefined, 5],
    ['chat', { prompt_tokens: 70, completion_tokens: null }, 70, 8],
    ['messages', { input_tokens: 0, output_tokens: 5 }, undefined, 5],
    ['gemini', { promptTokenCount: 70, candidatesTokenCount: 0, totalTokenCount: 70 }, 70, 8],
  ];
  for (const [name, usage, input, output] of cases) {
    const { path = '', body } = CASES[name] ?? {};
    for (const stream of [false, true]) {
      gateway.upstream.clear();
      gateway.upstream.script({ reply: answer({ text: TEXT, usage }) });
      const response = await gateway.post(path, { ...body, ...(stream && { stream }) });
      await response.text();
      const row = await gateway.getRow(response);
      const { inputUncached, outputText } = row.usage;
      assert.deepEqual([row.estimated, outputText], [true, output], `${name}: ${JSON.stringify(usage)}`);
      assert.ok(input === undefined ? inputUncached > 0 : inputUncached === input, `${inputUncached}`);
      assert.equal(row.customer, row.provider);
    }
  }
});

test('a medium: an impossible usage is estimated', async () => {
  for (const count of ABSURD) {
    const usage = { prompt_tokens: count, total_tokens: count };
    const data = [{ object: 'embedding', index: 0, embedding: [1] }];
    gateway.upstream.clear();
    gateway.upstream.script({ reply: json(() => ({ object: 'list', data, model: 'm', usage })) });
    const response = await gateway.post('/v1/embeddings', { model: 'chat-model', input: 'x'.repeat(400) });
    assert.equal(response.status, 200, await response.text());
    const row = await gateway.getRow(response);
    assert.deepEqual([row.estimated, row.usage.inputUncached], [true, 100], JSON.stringify(count));
  }
});
