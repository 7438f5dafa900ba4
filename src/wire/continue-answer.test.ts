import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { decodeChat } from '../../test/support/chat-exchange.ts';
import { createTarget } from '../../test/support/exchanges.ts';
import { openClient } from '../../test/support/gemini-exchange.ts';
import { decodeMessages } from '../../test/support/messages-exchange.ts';
import { decodeResponses } from '../../test/support/responses-exchange.ts';
import { continueAnswer } from './continue-answer.ts';
import { getOutboundFormat } from './formats.ts';

const BEGUN = { text: 'Once upon', maxOutputTokens: 5 };

/** The rest of an answer as it is asked for from a provider of the caller's own format. */
function send(request: CanonicalRequest): JsonObject {
  const { format } = request.origin;
  const target = createTarget(format, { prefill: true });
  return getOutboundFormat(format).openExchange(continueAnswer(request, BEGUN), target).body;
}

test('an answer that has not begun is asked for as it was', () => {
  const request = decodeChat({});
  assert.equal(continueAnswer(request, { ...BEGUN, text: '' }), request);
});

test('the rest of an answer is asked for after the text so far, without thinking again, up to what is left', () => {
  const request = decodeChat({ reasoning_effort: 'high', max_tokens: 9 });
  const rest = continueAnswer(request, BEGUN);
  assert.deepEqual(rest.turns.slice(0, -1), request.turns);
  assert.deepEqual(rest.turns.at(-1), { role: 'assistant', blocks: [{ type: 'text', text: 'Once upon' }] });
  assert.deepEqual([rest.maxOutputTokens, rest.reasoning, rest.origin], [5, undefined, request.origin]);
  const unlimited = continueAnswer(request, { ...BEGUN, maxOutputTokens: undefined });
  assert.equal(unlimited.maxOutputTokens, 9);
});

test('a Messages caller’s own body continues the answer, without its thinking', () => {
  const messages = [{ role: 'user', content: 'Tell.' }];
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const sent = send(decodeMessages({ messages, max_tokens: 2000, thinking }));
  assert.deepEqual(sent['messages'], [...messages, { role: 'assistant', content: 'Once upon' }]);
  assert.deepEqual([sent['max_tokens'], 'thinking' in sent], [5, false]);
});

test('a Gemini caller’s own body continues the answer', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Tell.' }] }];
  const { request } = openClient({ contents, generationConfig: { maxOutputTokens: 9 } });
  const sent = send(request);
  assert.deepEqual(sent['contents'], [...contents, { role: 'model', parts: [{ text: 'Once upon' }] }]);
  assert.deepEqual(sent['generationConfig'], { maxOutputTokens: 5 });
});

test('a Chat or Responses caller’s conversation ends with the answer so far', () => {
  const { messages } = send(decodeChat({ messages: [{ role: 'user', content: 'Tell.' }] }));
  assert.deepEqual((messages as JsonObject[]).at(-1), { role: 'assistant', content: 'Once upon' });
  const { input } = send(decodeResponses({ input: 'Tell.' }));
  assert.deepEqual(
    (input as JsonObject[]).map(({ role }) => role),
    ['user', 'assistant'],
  );
});
