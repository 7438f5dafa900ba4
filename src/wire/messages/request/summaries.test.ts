import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { FORMATS } from '#canonical';
import { getOutboundFormat } from '#wire';
import { createTarget } from '../../../../test/support/exchanges.ts';
import { createMessagesTarget, decodeMessages } from '../../../../test/support/messages-exchange.ts';

const OTHERS = FORMATS.filter((format) => format !== 'messages');
const SUMMARY = { type: 'compaction', content: 'Ann likes tea.', encrypted_content: 'e', signature: 's' };
const STATED = 'Summary of the conversation so far:\\nAnn likes tea.';
const GO_ON = { role: 'user', content: 'What does Ann like?' };

const bodyAt = (format: (typeof FORMATS)[number], messages: JsonObject[]): JsonObject =>
  getOutboundFormat(format).openExchange(decodeMessages({ messages }), createTarget(format)).body;

for (const format of OTHERS)
  test(`a summary in place of earlier turns is stated by the user: ${format}`, () => {
    const text = JSON.stringify(bodyAt(format, [{ role: 'assistant', content: [SUMMARY] }, GO_ON]));
    assert.ok(text.includes(STATED), text);
    assert.ok(text.indexOf(STATED) < text.indexOf(GO_ON.content), text);
    assert.doesNotMatch(text, /"role":"(?:assistant|model)"/, 'the user states it');
  });

test('what the model said after the summary, and the turns before it, are sent too', () => {
  const said = [SUMMARY, { type: 'text', text: 'I see.' }];
  const { messages } = bodyAt('chat', [
    { role: 'user', content: 'I am Ann.' },
    { role: 'assistant', content: said },
    GO_ON,
  ]);
  assert.deepEqual(messages, [
    { role: 'user', content: 'I am Ann.' },
    { role: 'user', content: JSON.parse(`"${STATED}"`) as string },
    { role: 'assistant', content: 'I see.' },
    GO_ON,
  ]);
});

test('a summary that failed is no text', () => {
  const failed = { type: 'compaction', content: null };
  for (const format of OTHERS)
    assert.deepEqual(
      bodyAt(format, [GO_ON, { role: 'assistant', content: [failed] }, GO_ON]),
      bodyAt(format, [GO_ON, GO_ON]),
    );
});

test('Anthropic gets the block as it is, and a provider without its beta features gets the text', () => {
  const messages = [{ role: 'assistant', content: [SUMMARY] }, GO_ON];
  const sentTo = (betas: 'verbatim' | 'none') =>
    getOutboundFormat('messages').openExchange(decodeMessages({ messages }), createMessagesTarget({ betas }))
      .body['messages'];
  assert.deepEqual(sentTo('verbatim'), messages);
  const text = JSON.parse(`"${STATED}"`) as string;
  assert.deepEqual(sentTo('none'), [{ role: 'assistant', content: [{ type: 'text', text }] }, GO_ON]);
});
