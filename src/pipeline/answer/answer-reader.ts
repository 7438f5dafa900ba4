import type { GenerationEvent } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink } from '#providers';
import type { Exchange, OutboundFormat, StreamDecoder } from '#wire';
import {
  type HttpHeaders,
  type SseMessage,
  SseParser,
  append,
  finish,
  parseExactObject,
  parseJsonObject,
} from '#base';
import { toEvents } from '#canonical';
import { isFailure } from '#wire';
import { inTurns } from '../request/step-scheduler.ts';
import { AnswerSize } from './answer-size.ts';
import { IncomingAnswer, TOO_LARGE, findExcess, toUnreadable } from './incoming-answer.ts';

/** A shorter event cannot be nested deeply enough to matter. */
const DEEP_EVENT_CHARACTERS = 4_096;
/** Bytes of a stream other than its text, which the meter bounds: images, citations, empty events. */
const MOST_BESIDES_TEXT = 128 * 1024 * 1024;
/** A text event is hardly longer; what exceeds this counts as data, not text. */
const TEXT_EVENT_CHARACTERS = 4_096;

/** White space before an answer: some providers send it while they work. */
const MOST_LEADING_SPACE = 64 * 1024;

/**
 * Larger answers are read in turn with other long work, and their numbers parsed as doubles: keeping exact digits takes
 * microseconds per value.
 */
const LARGE_BYTES = 512 * 1024;

/** Events of a large answer that are passed on in one step, and the length of their text. */
const MOST_AT_ONCE = 256;
const LONG_TEXT_CHARACTERS = 64 * 1024;

/** Receives what a reader has decoded. */
interface AnswerListener {
  /** The queue in which a large answer waits for other large work. */
  queue?: string | undefined;
  /** The answer is not a stream; all of it has arrived. */
  onWhole?(): void;
  /** The events of one read, in order; a `generation-error` can only be the last. */
  onEvents(events: GenerationEvent[]): void;
  /** The answer is not a generation. */
  onFailure(failure: UpstreamFailure): void;
  /** A complete message arrived; comments and partial events do not count. */
  onSign(): void;
}

type Mode = 'unknown' | 'sse' | 'json' | 'error' | 'over';

/**
 * Turns the bytes of an answer into events. The first byte decides how the body is read: upstreams send JSON errors
 * as `text/event-stream` and streams as `application/json`.
 */
export class AnswerReader implements AnswerSink {
  readonly #exchange: Exchange;
  readonly #format: OutboundFormat;
  readonly #listener: AnswerListener;
  readonly #answer = new IncomingAnswer();
  #mode: Mode = 'unknown';
  #parser: SseParser | undefined;
  #decoder: StreamDecoder | undefined;
  #leadingSpace = 0;
  #besidesText = 0;
  readonly #size = new AnswerSize();

  constructor(exchange: Exchange, format: OutboundFormat, listener: AnswerListener) {
    this.#exchange = exchange;
    this.#format = format;
    this.#listener = listener;
  }

  get status(): number {
    return this.#answer.status;
  }

  onHead(status: number, headers: HttpHeaders): void {
    const failure = this.#answer.open(status, headers);
    if (failure) this.#fail(failure);
    else if (status >= 300) this.#mode = 'error';
  }

  onData(bytes: Buffer): void {
    if (this.#mode === 'unknown') this.#sniff(bytes);
    if (this.#mode === 'sse') this.#readStream(bytes);
    else if (this.#mode === 'error') this.#keepError(bytes);
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

  #sniff(bytes: Buffer): void {
    this.#mode = sniff(bytes);
    if (this.#mode !== 'unknown') return;
    this.#leadingSpace += bytes.length;
    if (this.#leadingSpace > MOST_LEADING_SPACE)
      this.#fail({ kind: 'garbled', message: 'the provider’s answer begins with too much white space' });
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
      const excess = findEventExcess(message);
      if (excess) {
        this.#fail(excess);
        return;
      }
      const more = decoder.push(message);
      this.#weigh(message, more);
      if (this.#besidesText > MOST_BESIDES_TEXT || !this.#isWithinSize(more)) {
        this.#fail({ kind: 'garbled', message: TOO_LARGE });
        return;
      }
      // Most reads hold one message; its events are passed on without a copy.
      if (events.length === 0) events = more;
      else append(events, more);
    }
    if (events.length > 0) this.#listener.onEvents(events);
  }

  /** Decoders, collectors and encoders may keep the whole answer, so its growth is bounded. */
  #weigh({ data }: SseMessage, events: readonly GenerationEvent[]): void {
    const free = events.at(-1)?.type === 'block-delta' ? TEXT_EVENT_CHARACTERS : 0;
    if (data.length > free) this.#besidesText += data.length - free;
  }

  #isWithinSize(events: readonly GenerationEvent[]): boolean {
    for (const event of events) this.#size.add(event);
    return this.#size.isWithin;
  }

  #keep(bytes: Buffer): void {
    const failure = this.#answer.keep(bytes);
    if (failure) this.#fail(failure);
  }

  /** The rest of a long error is not read: its failure ends the attempt and closes the connection. */
  #keepError(bytes: Buffer): void {
    if (!this.#answer.keepError(bytes)) this.#endError();
  }

  #endError(): void {
    this.#fail(this.#format.decodeFailure(this.#answer.takeError()));
  }

  #endJson(): void {
    const bytes = this.#answer.takeText();
    const reading = this.#readJson(bytes);
    if (bytes.length > LARGE_BYTES)
      void inTurns(this.#listener.queue ?? '', reading).catch((thrown: unknown) =>
        this.#fail(toUnreadable(thrown)),
      );
    else finish(reading);
  }

  /** Reads a complete answer in slices. */
  *#readJson(bytes: Buffer): Generator<undefined, void> {
    const { status } = this.#answer;
    const excess = yield* findExcess(bytes);
    if (excess) {
      this.#fail({ ...excess, status });
      return;
    }
    const text = bytes.toString('utf8');
    yield;
    const body = bytes.length > LARGE_BYTES ? parseJsonObject(text) : parseExactObject(text);
    yield;
    if (this.#mode === 'over') return; // the connection broke meanwhile
    if (!body) {
      this.#fail({
        kind: 'garbled',
        status,
        message: 'the provider returned a malformed response',
        detail: text.slice(0, 2048),
      });
      return;
    }
    const result = this.#exchange.decodeResult(body);
    if (isFailure(result)) this.#fail(result);
    else yield* this.#passOn(toEvents(result), bytes.length > LARGE_BYTES);
  }

  *#passOn(events: GenerationEvent[], isLarge: boolean): Generator<undefined, void> {
    if (!this.#isWithinSize(events) || !this.#size.isTextWithin) {
      this.#fail({ kind: 'garbled', status: this.#answer.status, message: TOO_LARGE });
      return;
    }
    this.#mode = 'over';
    this.#listener.onWhole?.();
    for (const slice of isLarge ? sliceEvents(events) : [events]) {
      yield;
      this.#listener.onSign();
      this.#listener.onEvents(slice);
    }
  }

  #fail(failure: UpstreamFailure): void {
    this.#mode = 'over';
    this.#answer.drop();
    this.#listener.onFailure(failure);
  }
}

/** The events of a complete answer, those of a long text by themselves; the first ones show that it is no failure. */
function* sliceEvents(events: GenerationEvent[]): Generator<GenerationEvent[]> {
  let slice: GenerationEvent[] = [];
  let length = 0;
  for (const event of events) {
    const own = event.type === 'block-delta' ? event.text.length : 0;
    if (slice.length >= MOST_AT_ONCE || length + own > LONG_TEXT_CHARACTERS) {
      yield slice;
      [slice, length] = [[], 0];
    }
    slice.push(event);
    length += own;
  }
  yield slice;
}

function findEventExcess({ data }: SseMessage): UpstreamFailure | undefined {
  return data.length > DEEP_EVENT_CHARACTERS ? finish(findExcess(Buffer.from(data))) : undefined;
}

/** What may precede an answer: white space, and the bytes of a byte order mark. */
const LEADING: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09, 0xef, 0xbb, 0xbf]);

/** `{` and `[` open JSON, `<` opens an HTML page; anything else is read as an event stream. */
function sniff(bytes: Buffer): Mode {
  for (const byte of bytes) {
    if (byte === 0x7b || byte === 0x5b || byte === 0x3c) return 'json';
    if (!LEADING.has(byte)) return 'sse';
  }
  return 'unknown';
}
