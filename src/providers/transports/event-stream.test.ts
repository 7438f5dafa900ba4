import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { UpstreamFailure } from '#errors';
import { type SseMessage, SseParser } from '#base';
import {
  encodeChunkFrame,
  encodeErrorFrame,
  encodeEventFrame,
  encodeExceptionFrame,
} from '../../../test/support/event-frames.ts';
import { EventStreamSink } from './event-stream.ts';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);
const FRAMES = { 'content-type': 'application/vnd.amazon.eventstream' };

interface Read {
  status: number;
  contentType: unknown;
  messages: SseMessage[];
  text: string;
  ended: boolean;
  failure?: UpstreamFailure;
}

/** What the sink receives when these pieces arrive. */
function read(pieces: Buffer[], headers: Record<string, string> = FRAMES): Read {
  const parser = new SseParser();
  const received: Read = { status: 0, contentType: undefined, messages: [], text: '', ended: false };
  const sink = new EventStreamSink(
    {
      onHead: (status, reported) =>
        Object.assign(received, { status, contentType: reported['content-type'] }),
      onData: (bytes) => {
        received.text += bytes.toString('utf8');
        received.messages.push(...parser.push(bytes));
      },
      onEnd: () => void (received.ended = true),
      onFailure: (failure) => void (received.failure = failure),
    },
    () => codec,
  );
  sink.onHead(200, headers);
  for (const piece of pieces) sink.onData(piece);
  sink.onEnd();
  return received;
}

const EVENTS: SseMessage[] = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  { event: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"Grüße 🙂"}}' },
  { event: 'message_start', data: '{"type":"message_start","message":{"id":"msg_1"}}' },
  { event: 'throttlingException', data: '{"message":"slow down"}' },
];
const STREAM = Buffer.concat([
  encodeEventFrame('messageStart', { role: 'assistant' }),
  encodeEventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße 🙂' } }),
  encodeChunkFrame({ type: 'message_start', message: { id: 'msg_1' } }),
  encodeExceptionFrame('throttlingException', 'slow down'),
]);

test('[D-86] frames become the same events, wherever the bytes are cut', () => {
  for (let at = 0; at <= STREAM.length; at += 1) {
    const received = read([STREAM.subarray(0, at), STREAM.subarray(at)]);
    assert.deepEqual(received.messages, EVENTS, `cut at ${at}`);
    assert.equal(received.ended, true);
  }
  const single = read(Array.from(STREAM, (byte) => Buffer.from([byte])));
  assert.deepEqual(single.messages, EVENTS);
  assert.equal(single.contentType, 'text/event-stream');
});

test('an error frame is an exception too', () => {
  const { messages } = read([encodeErrorFrame('InternalFailure', 'it "broke"')]);
  assert.deepEqual(messages, [{ event: 'InternalFailureException', data: '{"message":"it \\"broke\\""}' }]);
});

test('a wrong checksum, a wrong length and text instead of frames are garbled, after what came before', () => {
  const good = encodeEventFrame('messageStart', { role: 'assistant' });
  const bent = (at: number): Buffer => {
    const frame = Buffer.from(encodeEventFrame('contentBlockDelta', { delta: { text: 'Hi' } }));
    frame[at] = (frame[at] ?? 0) ^ 1;
    return frame;
  };
  const cases = [
    bent(9),
    bent(20),
    bent(bent(0).length - 1),
    Buffer.from('<html><body>no</body></html>'),
    Buffer.alloc(64),
  ];
  for (const garbage of cases) {
    const received = read([Buffer.concat([good, garbage]), good]);
    assert.equal(received.failure?.kind, 'garbled');
    assert.equal(received.ended, false);
    assert.deepEqual(received.messages, EVENTS.slice(0, 1));
  }
});

test('bytes that end in the middle of a frame are a cut answer', () => {
  for (const at of [1, 11, 12, STREAM.length - 1])
    assert.equal(read([STREAM.subarray(0, at)]).failure?.kind, 'broken');
});

test('a chunk that holds no event is left out', () => {
  assert.deepEqual(read([encodeEventFrame('chunk', { p: 'x' })]).messages, []);
});

test('an answer that is no event stream passes as it is', () => {
  const received = read([Buffer.from('{"output":'), Buffer.from('{}}')], {
    'content-type': 'application/json',
  });
  assert.equal(received.text, '{"output":{}}');
  assert.equal(received.contentType, 'application/json');
  assert.equal(received.ended, true);
});
