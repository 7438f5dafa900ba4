import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientFormatId, TEXT_ENDPOINTS } from '#canonical';
import { openInProcess } from '../../../../test/support/in-process.ts';

const messages = [{ role: 'user', content: 'hello' }];
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
const GEMINI = '/v1beta/models/gemini-model';
/** A request to each endpoint of a format. */
const SENT: Record<ClientFormatId, [path: string, body: object][]> = {
  chat: [['/v1/chat/completions', { model: 'chat-model', messages }]],
  messages: [['/v1/messages', { model: 'messages-model', max_tokens: 10, messages }]],
  responses: [['/v1/responses', { model: 'chat-model', input: 'hello' }]],
  gemini: [
    [`${GEMINI}:generateContent`, { contents }],
    [`${GEMINI}:streamGenerateContent?alt=sse`, { contents }],
  ],
};

test('rows name the endpoints of text by which reports and replay know them', async () => {
  await using gateway = await openInProcess();
  const recorded: Record<string, string[]> = {};
  for (const [format, requests] of Object.entries(SENT)) {
    recorded[format] = [];
    for (const [path, body] of requests) {
      const response = await gateway.post(path, body);
      await response.text();
      recorded[format].push((await gateway.getRow(response)).endpoint);
    }
  }
  assert.deepEqual(recorded, TEXT_ENDPOINTS);
});
