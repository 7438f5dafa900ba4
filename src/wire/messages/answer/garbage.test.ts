import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import { Collector, type GenerationEvent } from '#canonical';
import { MESSAGE_START, encodeStream, readMessages } from '../../../../test/support/messages-exchange.ts';
import { messagesInbound } from '../index.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
const index = fc.oneof(fc.nat(4), fc.constantFrom(undefined, -1, 1.5, 'x'));
const garbageDelta = fc.oneof(
  fc.record({ type: fc.constantFrom('text_delta', 'unknown_delta'), text: fc.string() }),
  fc.record({ type: fc.constant('thinking_delta'), thinking: fc.string() }),
  fc.record({ type: fc.constant('signature_delta'), signature: fc.string() }),
  fc.record({ type: fc.constant('input_json_delta'), partial_json: fc.oneof(fc.string(), fc.integer()) }),
  fc.record({ type: fc.constant('citations_delta'), citation: fc.oneof(object, fc.constant(5)) }),
  fc.jsonValue(),
);
const garbageBlock = fc.oneof(
  fc.record({
    type: fc.constantFrom(
      'text',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'server_tool_use',
      'new',
      '__proto__',
    ),
    text: fc.jsonValue(),
    id: fc.jsonValue(),
    name: fc.jsonValue(),
    input: fc.jsonValue(),
    citations: fc.jsonValue(),
  }),
  fc.jsonValue(),
);
const garbagePayload = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('content_block_start'), index, content_block: garbageBlock }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('content_block_delta'), index, delta: garbageDelta }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('content_block_stop'), index }) },
  fc.record({
    type: fc.constant('message_start'),
    message: fc.oneof(fc.constant(MESSAGE_START['message']), fc.jsonValue()),
  }),
  fc.record({
    type: fc.constant('message_delta'),
    delta: fc.oneof(fc.constant({ stop_reason: 'end_turn' }), fc.jsonValue()),
    usage: fc.jsonValue(),
  }),
  fc.record({ type: fc.constantFrom('message_stop', 'error', 'ping', 'future') }),
  fc.jsonValue(),
);
const garbageStream = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.oneof(
        { weight: 9, arbitrary: garbagePayload.map((payload) => JSON.stringify(payload)) },
        fc.string(),
      ),
      { maxLength: 20 },
    ),
  )
  .map(([starts, data]) => (starts ? [JSON.stringify(MESSAGE_START), ...data] : data));

test('[U23] whatever the upstream streams, nothing throws, and the events follow the grammar to one end', () => {
  fc.assert(
    fc.property(garbageStream, (lines) => {
      const events = readMessages(lines.map((data) => ({ data })));
      assertGrammar(events);
      assertMessagesGrammar(events);
    }),
    { numRuns: 800 },
  );
});

function assertGrammar(events: GenerationEvent[]): void {
  const ends = events.filter((event) => event.type === 'generation-end' || event.type === 'generation-error');
  assert.equal(ends.length, 1);
  assert.equal(events.at(-1), ends[0]);
  if (events.length === 1) return;
  const collector = new Collector();
  for (const event of events) collector.push(event);
  assert.ok(collector.isComplete);
}

/** What the official SDK relies on: dense indices, one open block, exactly one terminal group. */
function assertMessagesGrammar(events: GenerationEvent[]): void {
  let openIndex = -1;
  let next = 0;
  const names = encodeStream(events).map(({ event, data }) => {
    const payload = JSON.parse(data) as JsonObject;
    if (event === 'content_block_start') {
      assert.equal(openIndex, -1);
      assert.equal(payload['index'], next);
      openIndex = next;
    } else if (event === 'content_block_delta') assert.equal(payload['index'], openIndex);
    else if (event === 'content_block_stop') {
      assert.equal(payload['index'], openIndex);
      openIndex = -1;
      next += 1;
    }
    return event;
  });
  const last = names.at(-1);
  assert.equal(names.filter((event) => event === 'message_stop' || event === 'error').length, 1);
  assert.ok(last === 'message_stop' || last === 'error');
  if (last === 'message_stop') assert.equal(names.at(-2), 'message_delta');
}

test('[I3] any JSON as a body is either understood or refused, and nothing else', () => {
  const shaped = fc.record({
    model: fc.constant('m'),
    max_tokens: fc.oneof(fc.constant(1), fc.jsonValue()),
    messages: fc.oneof(
      fc.array(fc.record({ role: fc.constant('user'), content: fc.array(garbageBlock) })),
      fc.jsonValue(),
    ),
    tools: fc.jsonValue(),
    system: fc.jsonValue(),
    thinking: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.oneof(object, shaped), (body) => {
      try {
        messagesInbound.decodeRequest(body, {});
      } catch (thrown) {
        assert.equal((thrown as Error).name, 'GatewayError');
      }
    }),
    { numRuns: 300 },
  );
});
