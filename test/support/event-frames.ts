import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { JsonObject } from '#base';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

function encodeFrame(headers: Record<string, string>, payload: string): Buffer {
  const typed = Object.entries(headers).map(
    ([name, value]) => [name, { type: 'string' as const, value }] as const,
  );
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(payload) }));
}

/** One event of an AWS event stream in its binary frame. */
export function encodeEventFrame(event: string, payload: JsonObject): Buffer {
  const headers = { ':event-type': event, ':content-type': 'application/json', ':message-type': 'event' };
  return encodeFrame(headers, JSON.stringify(payload));
}

/** An event of a model's own format in a frame of InvokeModel. */
export function encodeChunkFrame(payload: JsonObject): Buffer {
  const bytes = Buffer.from(JSON.stringify(payload)).toString('base64');
  return encodeEventFrame('chunk', { bytes, p: 'abcdefgh' });
}

export function encodeExceptionFrame(type: string, message: string): Buffer {
  const headers = {
    ':exception-type': type,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return encodeFrame(headers, JSON.stringify({ message }));
}

export function encodeErrorFrame(code: string, message: string): Buffer {
  return encodeFrame({ ':error-code': code, ':error-message': message, ':message-type': 'error' }, '');
}
