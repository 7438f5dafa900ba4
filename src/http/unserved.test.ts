import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { NotFoundError } from 'openai';
import { assertRefusal } from '../../test/support/refusal.ts';
import { shareGateway } from '../../test/support/share-gateway.ts';

const gateway = shareGateway();

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey, maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: gateway.apiKey, httpOptions: { baseUrl: gateway.url } });
const blob = () => new Blob(['text'], { type: 'text/plain' });

/** Calls of the SDKs, and the advice in the error. */
const CALLS: Readonly<Record<string, [call: () => PromiseLike<unknown>, advice: RegExp]>> = {
  'responses.compact': [
    () => openai().responses.compact({ model: 'gpt-5.1', input: 'a' }),
    /context_management/,
  ],
  'responses.cancel': [() => openai().responses.cancel('resp_1'), /close its connection/],
  'conversations.create': [() => openai().conversations.create(), /previous_response_id/],
  'batches.list': [() => openai().batches.list(), /one by one/],
  'files.list': [() => openai().files.list(), /inside the request/],
  'completions.create': [
    () => openai().completions.create({ model: 'chat-model', prompt: 'a' }),
    /POST \/v1\/chat\/completions/,
  ],
  'chat.completions.retrieve': [
    () => openai().chat.completions.retrieve('chatcmpl-1'),
    /POST \/v1\/responses/,
  ],
  'messages.batches.list': [() => anthropic().messages.batches.list(), /one by one/],
  'files.list of Anthropic': [() => anthropic().beta.files.list(), /inside the request/],
  'models.embedContent': [
    () => google().models.embedContent({ model: 'gemini-embedding-001', contents: 'a' }),
    /POST \/v1\/embeddings/,
  ],
  'files.upload of Google': [() => google().files.upload({ file: blob() }), /inside the request/],
  'caches.create': [
    () => google().caches.create({ model: 'gemini-2.5-pro', config: { contents: 'a' } }),
    /with each request/,
  ],
};

for (const [name, [call, advice]] of Object.entries(CALLS))
  test(`an address that is not served is a 404 that says what to do instead: ${name}`, async () => {
    await assert.rejects(
      async () => call(),
      (error: Error & { status?: number }) => {
        assert.equal(error.status, 404);
        assert.match(error.message, advice);
        return true;
      },
    );
  });

test('an id that reads like such an address is still looked up', async () => {
  await assert.rejects(openai().responses.retrieve('compact'), (error) => {
    assert.ok(error instanceof NotFoundError);
    return error.message.includes('no response with the id compact is stored here');
  });
});

test('advice is looked for in what is shown of an address, however long it is', async () => {
  const response = await gateway.post(`/${'openai/'.repeat(1_000)}chat/completions`, {});
  const message = await assertRefusal(response, { format: 'chat', status: 404, code: 'not_found' });
  assert.match(message, /^no such address: .{200}; GET \/openapi\.json lists them$/);
});

test('a base URL with a slash too many is named', async () => {
  const response = await gateway.post('//v1/chat/completions', {});
  const message = await assertRefusal(response, { format: 'chat', status: 404, code: 'not_found' });
  assert.match(message, /the base URL must not end with one/);
});
