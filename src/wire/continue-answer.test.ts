import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeChat } from '../../test/support/chat-exchange.ts';
import { decodeMessages } from '../../test/support/messages-exchange.ts';
import { continueAnswer } from './continue-answer.ts';

const BEGUN = { text: 'Once upon', maxOutputTokens: 5 };
const ANSWERED = { role: 'assistant', content: 'Once upon' };

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

test('a Messages body is continued too, because it is sent as the caller wrote it', () => {
  const messages = [{ role: 'user', content: 'Tell.' }];
  const request = decodeMessages({
    messages,
    max_tokens: 2000,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  });
  const { body } = continueAnswer(request, BEGUN).origin;
  assert.deepEqual(body['messages'], [...messages, ANSWERED]);
  assert.deepEqual([body['max_tokens'], 'thinking' in body], [5, false]);
  const unlimited = continueAnswer(request, { ...BEGUN, maxOutputTokens: undefined }).origin.body;
  assert.equal(unlimited['max_tokens'], 2000);
  assert.deepEqual(request.origin.body['messages'], messages);
});
