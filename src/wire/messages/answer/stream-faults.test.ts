import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '#canonical';
import {
  MESSAGE_END as END,
  MESSAGE_START as START,
  MESSAGE_STOP as STOP,
  TEXT_BLOCK as text,
  closeBlock as close,
  growText as say,
  openBlock as open,
  readMessages,
  readPayloads,
  failureOf,
} from '../../../../test/support/messages-exchange.ts';

test('[D-61] a repeated message_start is ignored, a spliced one is an error', () => {
  assert.deepEqual(
    collect(readPayloads([START, START, open(0, text), say(0, 'a'), close(0), ...END])).blocks.length,
    1,
  );
  const other = { type: 'message_start', message: { id: 'msg_2' } };
  const events = readPayloads([START, open(0, text), say(0, 'a'), other, say(0, 'b')]);
  assert.equal(failureOf(events).kind, 'garbled');
});

test('[D-59] an error event ends the answer with its own kind', () => {
  const kinds: [type: string, kind: string][] = [
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate-limited'],
    ['timeout_error', 'timed-out'],
    ['api_error', 'broken'],
    ['authentication_error', 'credential-refused'],
    ['invalid_request_error', 'request-refused'],
  ];
  for (const [type, kind] of kinds) {
    const error = { type: 'error', error: { type, message: 'Sorry' } };
    for (const before of [[], [START, open(0, text)]]) {
      const events = readPayloads([...before, error, ...END]);
      assert.equal(failureOf(events).kind, kind);
      assert.equal(failureOf(events).type, type);
    }
  }
  assert.equal(failureOf(readMessages([{ event: 'error', data: 'upstream connect error' }])).kind, 'broken');
  assert.equal(failureOf(readMessages([{ data: '{"error":{"message":"quota"}}' }])).message, 'quota');
});

test('[D-58] bytes that end before message_stop are a broken answer', () => {
  const payloads = [START, open(0, text), say(0, 'a'), close(0), ...END];
  for (let cut = 0; cut < payloads.length; cut += 1) {
    assert.equal(failureOf(readPayloads(payloads.slice(0, cut))).kind, 'broken', `cut at ${cut}`);
  }
});

test('message_stop without any stop reason is a broken answer, not an end_turn', () => {
  assert.equal(failureOf(readPayloads([START, open(0, text), say(0, 'a'), close(0), STOP])).kind, 'broken');
});

test('[U10] what cannot be read is garbled and ends the stream once', () => {
  assert.equal(failureOf(readMessages([{ data: '<html>' }])).kind, 'garbled');
  assert.equal(failureOf(readPayloads([open(0, text)])).kind, 'garbled');
  const events = readMessages([{ data: JSON.stringify(START) }, { data: '{"type":' }, { data: '{"type":' }]);
  assert.equal(events.filter((event) => event.type === 'generation-error').length, 1);
});

test('[D-60] a [DONE] from a copied OpenAI path is ignored', () => {
  const messages = [START, ...END].map((payload) => ({ data: JSON.stringify(payload) }));
  assert.equal(readMessages([...messages, { data: '[DONE]' }]).at(-1)?.type, 'generation-end');
});
