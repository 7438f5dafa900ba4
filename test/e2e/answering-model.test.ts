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
