import type { HttpHeaders } from '#base';
import type { EventStreamCodec } from '@smithy/eventstream-codec';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink } from '../transport.ts';
import { formatSse, parseJsonObject } from '#base';
import { FrameSplitter } from './frame-splitter.ts';

const FRAMES = 'application/vnd.amazon.eventstream';
/** The type of a Messages event, which comes first in its JSON. */
const TYPE = /^\s*\{\s*"type"\s*:\s*"([\w.-]+)"/;

/** Converts the binary frames of an AWS event stream to server-sent events; any other answer passes unchanged. */
export class EventStreamSink implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #codec: () => EventStreamCodec;
  #splitter: FrameSplitter | undefined;
  #isOver = false;

  /** The codec is only requested once an answer has come. */
  constructor(sink: AnswerSink, codec: () => EventStreamCodec) {
    this.#sink = sink;
    this.#codec = codec;
  }

  onHead(status: number, headers: HttpHeaders): void {
    if (!String(headers['content-type']).startsWith(FRAMES)) {
      this.#sink.onHead(status, headers);
      return;
    }
    this.#splitter = new FrameSplitter();
    this.#sink.onHead(status, { ...headers, 'content-type': 'text/event-stream' });
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return;
    if (!this.#splitter) {
      this.#sink.onData(bytes);
      return;
    }
    const text = this.#read(bytes, this.#splitter);
    if (text !== '') this.#sink.onData(Buffer.from(text));
  }

  onEnd(): void {
    if (this.#isOver) return;
    if (this.#splitter?.isMidFrame === true)
      this.onFailure({ kind: 'broken', message: 'the provider cut its answer short' });
    else this.#sink.onEnd();
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.onFailure(failure);
  }

  /** Frames before a garbled one still count. */
  #read(bytes: Buffer, splitter: FrameSplitter): string {
    let text = '';
    try {
      for (const frame of splitter.push(bytes)) text += this.#decode(frame);
    } catch (error) {
      if (text !== '') this.#sink.onData(Buffer.from(text));
      this.onFailure({
        kind: 'garbled',
        message: 'the provider sent a malformed event',
        detail: String(error),
      });
      return '';
    }
    return text;
  }

  #decode(frame: Buffer): string {
    const { headers, body } = this.#codec().decode(frame);
    const read = (name: string): string => {
      const value = headers[name]?.value;
      return typeof value === 'string' ? value.replace(/[\r\n]/g, '') : '';
    };
    const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
    switch (read(':message-type')) {
      case 'exception':
        return write(nameException(read(':exception-type')), payload);
      case 'error':
        return write(nameException(read(':error-code')), JSON.stringify({ message: read(':error-message') }));
      default:
        return read(':event-type') === 'chunk' ? unwrap(payload) : write(read(':event-type'), payload);
    }
  }
}

function nameException(name: string): string {
  return name.endsWith('Exception') ? name : `${name}Exception`;
}

function write(event: string, payload: string): string {
  const data = payload.trim() === '' ? '{}' : payload.replace(/[\r\n]/g, ' ');
  return formatSse({ event, data });
}

/** The frames of InvokeModel hold an event of the model's own format in base64. */
function unwrap(payload: string): string {
  const bytes = parseJsonObject(payload)?.['bytes'];
  if (typeof bytes !== 'string') return '';
  const data = Buffer.from(bytes, 'base64').toString('utf8');
  return write(TYPE.exec(data)?.[1] ?? 'chunk', data);
}
