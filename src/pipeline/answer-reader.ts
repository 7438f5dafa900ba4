import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink } from '#providers';
import type { Exchange, OutboundFormat, RequestHeaders, StreamDecoder } from '#wire';
import { SseOverflow, type SseMessage, SseParser, measureDepth, parseJsonObject } from '#base';
import { toEvents } from '#canonical';
import { isFailure } from '#wire';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** Answers are walked and printed by recursion, so their depth is bounded as requests' is. */
const MAX_DEPTH = 128;
const TOO_DEEP = `the provider sent an answer that nests more than ${MAX_DEPTH} deep`;
/** Shorter events cannot be deep enough to matter. */
const DEEP_EVENT_CHARACTERS = 4_096;

/** Where a reader hands on what it understood. */
export interface AnswerListener {
  /** Events of one read, in order; a `generation-error` among them is the last. */
  onEvents(events: GenerationEvent[]): void;
  /** The answer is no generation at all. */
  onFailure(failure: UpstreamFailure): void;
  /** Something that shows life arrived; comments and half events do not count. */
  onSign(): void;
}

type Mode = 'unknown' | 'sse' | 'json' | 'error' | 'over';

/**
 * Turns the bytes of an answer into events. What the body is shows in its first byte: upstreams send JSON errors as
 * `text/event-stream` and streams as `application/json`.
 */
export class AnswerReader implements AnswerSink {
  readonly #exchange: Exchange;
  readonly #format: OutboundFormat;
  readonly #listener: AnswerListener;
  #mode: Mode = 'unknown';
  #status = 0;
  #headers: RequestHeaders = {};
  #parts: Buffer[] = [];
  #size = 0;
  #parser: SseParser | undefined;
  #decoder: StreamDecoder | undefined;

  constructor(exchange: Exchange, format: OutboundFormat, listener: AnswerListener) {
    this.#exchange = exchange;
    this.#format = format;
    this.#listener = listener;
  }

  get status(): number {
    return this.#status;
  }

  onHead(status: number, headers: RequestHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (status >= 300) this.#mode = 'error';
    if (status >= 300 && status < 400) {
      this.#fail({
        kind: 'garbled',
        status,
        message: 'the provider answered with a redirect, which is never followed',
      });
    }
  }

  onData(bytes: Buffer): void {
    if (this.#mode === 'unknown') this.#mode = sniff(bytes);
    if (this.#mode === 'sse') this.#readStream(bytes);
    else if (this.#mode !== 'over') this.#keep(bytes);
  }

  onEnd(): void {
    if (this.#mode === 'sse') this.#endStream();
    else if (this.#mode === 'error') this.#endError();
    else if (this.#mode !== 'over') this.#endJson();
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#mode === 'over') return;
    this.#fail(failure);
  }

  #readStream(bytes: Buffer): void {
    this.#parser ??= new SseParser();
    this.#decoder ??= this.#exchange.createStreamDecoder();
    try {
      const messages = this.#parser.push(bytes);
      if (messages.length === 0) return;
      this.#listener.onSign();
      this.#decode(messages, this.#decoder);
    } catch (thrown) {
      this.#failToRead(thrown);
    }
  }

  #endStream(): void {
    if (!this.#parser || !this.#decoder) return;
    try {
      this.#decode(this.#parser.close(), this.#decoder);
      if (this.#mode === 'over') return;
      this.#mode = 'over';
      const events = this.#decoder.close();
      if (events.length > 0) this.#listener.onEvents(events);
    } catch (thrown) {
      this.#failToRead(thrown);
    }
  }

  #decode(messages: readonly SseMessage[], decoder: StreamDecoder): void {
    const events: GenerationEvent[] = [];
    for (const message of messages) {
      if (isTooDeep(message)) {
        this.#fail({ kind: 'garbled', message: TOO_DEEP });
        return;
      }
      events.push(...decoder.push(message));
    }
    if (events.length > 0) this.#listener.onEvents(events);
  }

  #failToRead(thrown: unknown): void {
    const isOverflow = thrown instanceof SseOverflow;
    const message = isOverflow
      ? 'the provider sent an event that is too large'
      : 'the answer of the provider could not be read';
    this.#fail({ kind: 'garbled', message, detail: String(thrown) });
  }

  #keep(bytes: Buffer): void {
    const most = this.#mode === 'error' ? MAX_ERROR_BYTES : MAX_ANSWER_BYTES;
    if (this.#size + bytes.length > most) {
      if (this.#mode === 'error') return;
      this.#fail({ kind: 'garbled', message: 'the provider sent an answer that is too large' });
      return;
    }
    this.#size += bytes.length;
    this.#parts.push(bytes);
  }

  #endError(): void {
    const body = this.#takeBytes().toString('utf8');
    this.#fail(this.#format.decodeFailure({ status: this.#status, headers: this.#headers, body }));
  }

  #endJson(): void {
    const bytes = this.#takeBytes();
    if (measureDepth(bytes, MAX_DEPTH) > MAX_DEPTH) {
      this.#fail({ kind: 'garbled', status: this.#status, message: TOO_DEEP });
      return;
    }
    const text = bytes.toString('utf8');
    const body = parseJsonObject(text);
    if (!body) {
      this.#fail({
        kind: 'garbled',
        status: this.#status,
        message: 'the provider answered something that is not its format',
        detail: text.slice(0, 2048),
      });
      return;
    }
    const result = this.#exchange.decodeResult(body);
    if (isFailure(result)) this.#fail(result);
    else {
      this.#mode = 'over';
      this.#listener.onEvents(toEvents(result));
    }
  }

  #takeBytes(): Buffer {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    return bytes;
  }

  #fail(failure: UpstreamFailure): void {
    this.#mode = 'over';
    this.#parts = [];
    this.#listener.onFailure(failure);
  }
}

function isTooDeep({ data }: SseMessage): boolean {
  return data.length > DEEP_EVENT_CHARACTERS && measureDepth(Buffer.from(data), MAX_DEPTH) > MAX_DEPTH;
}

/** `{` and `[` open JSON, `<` opens a page; anything else is read as an event stream. */
function sniff(bytes: Buffer): Mode {
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b || byte === 0x3c) return 'json';
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return 'sse';
  }
  return 'unknown';
}
