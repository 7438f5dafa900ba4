import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type InboundFormat, type ReplyContext, getInboundFormat, messagesInbound } from '#wire';
import { createReplyContext } from '../../../test/support/chat-exchange.ts';
import { createMessagesContext, decodeMessages } from '../../../test/support/messages-exchange.ts';
import type { Arrival, Reply } from '../request/arrival.ts';
import { type Delivery, createDelivery } from './delivery.ts';

const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

/** A caller that reads everything, and what was sent to it. */
function openStream(
  stream = true,
  format: InboundFormat = messagesInbound,
  context: ReplyContext = createMessagesContext({ request: decodeMessages({ stream }) }),
): { delivery: Delivery; sent: string[] } {
  const sent: string[] = [];
  const state = { isOver: false };
  const reply: Reply = {
    get isOver() {
      return state.isOver;
    },
    hasBegun: false,
    addHeader: () => undefined,
    begin: () => undefined,
    write: (piece) => sent.push(String(piece)) > 0,
    end: (piece) => {
      sent.push(String(piece));
      state.isOver = true;
    },
    send: (_status, _headers, body) => void sent.push(String(body)),
    onDrain: () => undefined,
    onGone: () => undefined,
    offGone: () => undefined,
    drop: () => undefined,
  };
  const arrival: Arrival = {
    requestId: 'req_1',
    endpoint: '/v1/messages',
    format,
    headers: {},
    startedAt: 0,
    startedMs: 0,
    readBody: async () => Buffer.alloc(0),
    reply,
  };
  return {
    delivery: createDelivery(arrival, context, { createHeaders: () => ({}), keepTranscript: false }),
    sent,
  };
}

test('[D-64] a ping is sent after ten seconds without a frame; none before the start or after the end', () => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  try {
    const { delivery, sent } = openStream();
    const pings = () => sent.filter((text) => text === PING).length;
    mock.timers.tick(60_000);
    assert.deepEqual(sent, [], 'a status is not committed by waiting');
    delivery.push([{ type: 'generation-start', id: 'msg_1', model: 'm' }]);
    mock.timers.tick(9_999);
    assert.equal(pings(), 0);
    mock.timers.tick(1);
    assert.equal(pings(), 1);
    delivery.push([{ type: 'block-start', index: 0, block: { type: 'text', text: '' } }]);
    mock.timers.tick(9_999);
    assert.equal(pings(), 1, 'a frame puts the next ping off');
    mock.timers.tick(10_001);
    assert.equal(pings(), 3);
    delivery.push([
      { type: 'block-end', index: 0 },
      { type: 'generation-end', finish: { reason: 'stop' } },
    ]);
    mock.timers.tick(60_000);
    assert.equal(pings(), 3, 'the last group is withheld, and nothing may precede it');
    delivery.finish();
    mock.timers.tick(60_000);
    assert.equal(pings(), 3);
  } finally {
    mock.timers.reset();
  }
});

test('a long answer is printed before it is finished, and is what a short one is', async () => {
  const text = 'a "word" 😀\n'.repeat(100_000);
  const { delivery, sent } = openStream(false);
  delivery.push([
    { type: 'generation-start', id: 'msg_1', model: 'm' },
    { type: 'block-start', index: 0, block: { type: 'text', text: '' } },
    { type: 'block-delta', index: 0, text },
    { type: 'block-end', index: 0 },
    { type: 'generation-end', finish: { reason: 'stop' } },
  ]);
  await delivery.print?.();
  delivery.finish();
  const answer = JSON.parse(sent.join('')) as { content: { text: string }[] };
  assert.equal(answer.content[0]?.text, text);
});

test('each of several choices names the model that answers, known with its first event', () => {
  let model = 'asked';
  const context: ReplyContext = {
    ...createReplyContext({ stream: true, n: 2 }),
    get model() {
      return model;
    },
  };
  const { delivery, sent } = openStream(true, getInboundFormat('chat'), context);
  model = 'answering';
  for (const choice of [0, 1]) delivery.push([{ type: 'generation-start', id: 'c', model: 'm' }], choice);
  assert.equal(sent.join('').match(/"model":"answering"/g)?.length, 2);
});
