import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink } from '#providers';
import type { Exchange, OutboundFormat, RequestHeaders, StreamDecoder } from '#wire';
import { type SseMessage, SseParser, append, parseExactObject } from '#base';
import { toEvents } from '#canonical';
import { isFailure } from '#wire';
import { IncomingAnswer, TOO_DEEP, TOO_LARGE, isTooDeep, toUnreadable } from './incoming-answer.ts';

/** Shorter events cannot be deep enough to matter. */
const DEEP_EVENT_CHARACTERS = 4_096;
/** What a stream may bring besides text, whose length the meter bounds: pictures, citations, events that say nothing. */
const MOST_BESIDES_TEXT = 128 * 1024 * 1024;
/** An event that brings text is hardly longer; what it brings beyond is weighed as well. */
const TEXT_EVENT_CHARACTERS = 4_096;

/** Where a reader hands on what it understood. */
interface AnswerListener {
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
  readonly #answer = new IncomingAnswer();
  #mode: Mode = 'unknown';
  #parser: SseParser | undefined;
  #decoder: StreamDecoder | undefined;
  #besidesText = 0;

  constructor(exchange: Exchange, format: OutboundFormat, listener: AnswerListener) {
    this.#exchange = exchange;
    this.#format = format;
    this.#listener = listener;
  }

  get status(): number {
    return this.#answer.status;
  }

  onHead(status: number, headers: RequestHeaders): void {
    const failure = this.#answer.open(status, headers);
    if (failure) this.#fail(failure);
    else if (status >= 300) this.#mode = 'error';
  }

  onData(bytes: Buffer): void {
    if (this.#mode === 'unknown') this.#mode = sniff(bytes);
    if (this.#mode === 'sse') this.#readStream(bytes);
    else if (this.#mode === 'error') this.#answer.keepError(bytes);
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
      this.#fail(toUnreadable(thrown));
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
      this.#fail(toUnreadable(thrown));
    }
  }

  #decode(messages: readonly SseMessage[], decoder: StreamDecoder): void {
    let events: GenerationEvent[] = [];
    for (const message of messages) {
      if (isEventTooDeep(message)) {
        this.#fail({ kind: 'garbled', message: TOO_DEEP });
        return;
      }
      const more = decoder.push(message);
      this.#weigh(message, more);
      if (this.#besidesText > MOST_BESIDES_TEXT) {
        this.#fail({ kind: 'garbled', message: TOO_LARGE });
        return;
      }
      // Most reads bring one message, whose events are handed on as they are.
      if (events.length === 0) events = more;
      else append(events, more);
    }
    if (events.length > 0) this.#listener.onEvents(events);
  }

  /** Who decodes, collects or encodes an answer may keep all of it, so it must not grow for as long as time allows. */
  #weigh({ data }: SseMessage, events: readonly GenerationEvent[]): void {
    const free = events.at(-1)?.type === 'block-delta' ? TEXT_EVENT_CHARACTERS : 0;
    if (data.length > free) this.#besidesText += data.length - free;
  }

  #keep(bytes: Buffer): void {
    const failure = this.#answer.keep(bytes);
    if (failure) this.#fail(failure);
  }

  #endError(): void {
    this.#fail(this.#format.decodeFailure(this.#answer.takeError()));
  }

  #endJson(): void {
    const { status } = this.#answer;
    const bytes = this.#answer.take();
    if (isTooDeep(bytes)) {
      this.#fail({ kind: 'garbled', status, message: TOO_DEEP });
      return;
    }
    const text = bytes.toString('utf8');
    const body = parseExactObject(text);
    if (!body) {
      this.#fail({
        kind: 'garbled',
        status,
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

  #fail(failure: UpstreamFailure): void {
    this.#mode = 'over';
    this.#answer.drop();
    this.#listener.onFailure(failure);
  }
}

function isEventTooDeep({ data }: SseMessage): boolean {
  return data.length > DEEP_EVENT_CHARACTERS && isTooDeep(Buffer.from(data));
}

/** `{` and `[` open JSON, `<` opens a page; anything else is read as an event stream. */
function sniff(bytes: Buffer): Mode {
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b || byte === 0x3c) return 'json';
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return 'sse';
  }
  return 'unknown';
}
