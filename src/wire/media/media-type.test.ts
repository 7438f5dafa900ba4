import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { CLIENTS, createTarget, openPassage } from '../../../test/support/exchanges.ts';
import { getInboundFormat, getOutboundFormat, isFailure } from '../index.ts';

const URL = 'data:image/JPG;base64,/9j/4AAQ';
const SOURCE = { type: 'base64', media_type: 'image/jpg', data: '/9j/4AAQ' };
const INLINE = { inlineData: { mimeType: 'image/jpg', data: '/9j/4AAQ' } };

/** A question with an image under a wrong media type, in every client's format. */
const BODIES: Record<(typeof CLIENTS)[number], JsonObject> = {
  messages: {
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user', content: [{ type: 'image', source: SOURCE }] }],
  },
  chat: {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: URL } }] }],
  },
  responses: {
    model: 'm',
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: URL, detail: 'auto' }] }],
  },
  gemini: { model: 'models/m', contents: [{ role: 'user', parts: [INLINE] }] },
};

for (const client of CLIENTS) {
  for (const provider of ['messages', 'chat', 'responses', 'gemini', 'converse'] as const) {
    test(`image/jpg of a ${client} client reaches ${provider} as image/jpeg`, () => {
      const request = getInboundFormat(client).decodeRequest(BODIES[client], {});
      const { body } = getOutboundFormat(provider).openExchange(request, createTarget(provider));
      const sent = JSON.stringify(body);
      assert.doesNotMatch(sent, /image\/jpg/i);
      assert.match(sent, /image\/jpeg|"format":"jpeg"/);
    });
  }
}

const ANSWERS: Partial<Record<(typeof CLIENTS)[number], JsonObject>> = {
  messages: { id: 'msg_1', content: [{ type: 'image', source: SOURCE }], stop_reason: 'end_turn' },
  chat: {
    choices: [
      {
        message: { content: '', images: [{ type: 'image_url', image_url: { url: URL } }] },
        finish_reason: 'stop',
      },
    ],
  },
  gemini: { candidates: [{ content: { parts: [INLINE] }, finishReason: 'STOP' }] },
};

test('image/jpg in an answer is image/jpeg for every client', () => {
  for (const [provider, answer] of Object.entries(ANSWERS)) {
    const format = provider as keyof typeof ANSWERS;
    for (const client of ['messages', 'chat', 'gemini'] as const) {
      const { exchange, inbound, context } = openPassage(client, createTarget(format), format);
      const result = exchange.decodeResult(answer);
      assert.ok(!isFailure(result));
      const given = JSON.stringify(inbound.encodeResult(result, context));
      assert.match(given, /image\/jpeg/, `${provider} to ${client}`);
      assert.doesNotMatch(given, /image\/jpg/i);
    }
  }
});
