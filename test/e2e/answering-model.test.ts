import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, fail } from '../support/upstream-replies.ts';
import { shareGateway } from '../support/share-gateway.ts';

const gateway = shareGateway();

const CHAT = { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'hello' }] } };
const REQUESTS: { path: string; body: object; member: string }[] = [
  { ...CHAT, member: 'model' },
  { path: '/v1/messages', body: { ...CHAT.body, max_tokens: 64 }, member: 'model' },
  { path: '/v1/responses', body: { input: 'hello' }, member: 'model' },
];

/** The models that an answer names, each once. */
async function listNamed(path: string, body: object, member: string): Promise<string[]> {
  const response = await gateway.post(path, body, { 'x-no-metadata': 'true' });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const names = [...text.matchAll(new RegExp(`"${member}":"([^"]+)"`, 'g'))].map(([, name = '']) => name);
  return [...new Set(names)];
}

for (const { path, body, member } of REQUESTS)
  for (const stream of [false, true])
    test(`${path}, stream ${stream}: an answer of a fallback model names that model`, async () => {
      gateway.upstream.script({ reply: answer({ text: 'hi', chunks: 1 }) });
      const refusal = fail(404, 'invalid_request_error', { message: 'no such model' });
      gateway.upstream.script({ match: { model: 'chat-model' }, reply: refusal });
      const asked = { ...body, stream, model: 'chat-model', models: ['messages-model'] };
      assert.deepEqual(await listNamed(path, asked, member), ['messages-model']);
    });

test('an answer of the requested model repeats its name as the request spells it', async () => {
  gateway.upstream.script({ reply: answer({ text: 'hi', chunks: 1 }) });
  for (const model of ['chat-model', 'mock-chat/chat-model', 'CHAT-model']) {
    const named = await listNamed(CHAT.path, { ...CHAT.body, model }, 'model');
    assert.equal(named[0], model);
  }
});

test('a model that cannot be called any more, or not here, leaves its requests to the others they name', async () => {
  gateway.upstream.script({ reply: answer({ text: 'hi', chunks: 1 }) });
  const ask = async (model: string, other: string): Promise<string | number> => {
    const response = await gateway.post(CHAT.path, { ...CHAT.body, model, models: [other] });
    const { model: answering } = (await response.json()) as { model?: string };
    return answering ?? response.status;
  };
  for (const gone of ['claude-3-opus-20240229', 'groq/openai/gpt-oss-120b']) {
    assert.equal(await ask(gone, 'messages-model'), 'messages-model');
    assert.equal(await ask('messages-model', gone), 'messages-model');
    assert.equal(await ask(gone, gone), 404);
  }
  assert.equal(await ask('mesages-model', 'messages-model'), 404, 'another name is not taken for it');
});
