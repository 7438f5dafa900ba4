import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { openInProcess } from '../../../test/support/in-process.ts';

/** Part of every body, to make it long enough for its members to be forwarded untouched. */
const WORDS = 'the words of a long conversation '.repeat(700);
const SCHEMA: JsonObject = { type: 'object', properties: { city: { type: 'string' } } };
const MODELS = ['chat-model', 'messages-model', 'gemini-model'];
const said = { role: 'user', content: WORDS };

/** A long request in each format, with its path. */
const REQUESTS: ((model: string) => [path: string, body: JsonObject])[] = [
  (model) => [
    '/v1/chat/completions',
    {
      model,
      messages: [{ role: 'system', content: 'Be brief.' }, said],
      tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
    },
  ],
  (model) => ['/v1/chat/completions', { model, messages: [said], n: 2, stream: true }],
  (model) => [
    '/v1/messages',
    { model, max_tokens: 100, messages: [said], tools: [{ name: 'weather', input_schema: SCHEMA }] },
  ],
  (model) => [
    '/v1/responses',
    {
      model,
      input: [said],
      tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }],
    },
  ],
  (model) => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [{ role: 'user', parts: [{ text: WORDS }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }],
    },
  ],
];

test('no step changes the body of a request, whose bytes are forwarded', async (t) => {
  await using gateway = await openInProcess();
  const { apiKey } = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const asked = { authorization: `Bearer ${apiKey}` };
  const parse = JSON.parse.bind(JSON) as (text: string) => JsonValue;
  const frozen = t.mock.method(JSON, 'parse', (text: string) =>
    text.includes(WORDS) ? deepFreeze(parse(text)) : parse(text),
  );
  const post = async (path: string, body: JsonObject): Promise<string> => {
    const response = await gateway.post(path, body, asked);
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  };
  for (const model of MODELS) {
    for (const create of REQUESTS) {
      gateway.upstream.clear();
      const [path, body] = create(model);
      const text = await post(path, body);
      assert.equal(gateway.upstream.find(WORDS).length, body['n'] ?? 1, `${path} ${model}`);
      assert.equal(await post(path, body), text, 'the cache gives the same answer');
      if (path !== '/v1/responses') continue;
      const { id } = parse(text) as { id: string };
      await post(path, { model, previous_response_id: id, input: [said] });
      const [, next] = gateway.upstream.find(WORDS);
      assert.ok(Number(next?.rawBody.split(WORDS).length) > 2, 'the earlier turns are sent again');
    }
  }
  assert.ok(frozen.mock.callCount() > MODELS.length * REQUESTS.length);
});
