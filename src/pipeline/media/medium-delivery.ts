import type { SseMessage } from '#base';
import type { GatewayError } from '#errors';
import type { Arrival } from '../request/arrival.ts';
import type { AnswerEnd, CallerPace } from '../answer/delivery.ts';
import { formatSse } from '#base';
import { ReplyWriter } from '../answer/reply-writer.ts';
import { sendError } from '../answer/send-error.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** A complete answer as it is sent. */
interface WholeMedium {
  contentType: string;
  body: string | Buffer;
}

/** Writes a media answer to the caller: as a whole, as events, or as bytes. Its end is withheld until `finish`. */
export class MediumDelivery implements CallerPace, AnswerEnd {
  readonly #arrival: Arrival;
  readonly #createHeaders: () => Readonly<Record<string, string>>;
  readonly #writer: ReplyWriter;
  #whole: WholeMedium | undefined;
  #begun: 'events' | 'bytes' | undefined;
  #withheld: string | Buffer = '';
  #isCut = false;

  constructor(arrival: Arrival, createHeaders: () => Readonly<Record<string, string>>) {
    this.#arrival = arrival;
    this.#createHeaders = createHeaders;
    this.#writer = new ReplyWriter(arrival.reply);
  }

  get isReady(): boolean {
    return this.#writer.isReady;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  onReady(run: () => void): void {
    this.#writer.onReady(run);
  }

  /** Takes a complete answer. */
  keep(whole: WholeMedium): void {
    this.#whole = whole;
  }

  /** Writes an event; the last one is withheld. */
  pushEvent(message: SseMessage, isLast: boolean): void {
    this.#begin('events', EVENT_STREAM);
    if (isLast) this.#withheld = formatSse(message);
    else this.#writer.write(formatSse(message));
  }

  /** Writes bytes, always withholding the last one until more follow. */
  pushBytes(bytes: Buffer, contentType: string): void {
    this.#begin('bytes', contentType);
    const held = this.#withheld;
    this.#withheld = bytes.subarray(-1);
    const pieces = [typeof held === 'string' ? Buffer.from(held) : held, bytes.subarray(0, -1)];
    const piece = Buffer.concat(pieces.filter(({ length }) => length > 0));
    if (piece.length > 0) this.#writer.write(piece);
  }

  /**
   * Ends a broken answer: events with an error, bytes by closing the connection, so that they do not appear
   * complete.
   */
  cut(error: GatewayError): void {
    this.#isCut = true;
    this.#withheld = this.#begun === 'events' ? this.#formatError(error) : '';
  }

  finish(): void {
    const { reply } = this.#arrival;
    this.#writer.stop();
    if (this.#whole) {
      const { contentType, body } = this.#whole;
      reply.send(200, { ...this.#createHeaders(), 'content-type': contentType }, body);
    } else if (this.#begun === 'bytes' && this.#isCut) reply.drop();
    else reply.end(this.#withheld);
  }

  fail(error: GatewayError): void {
    const { reply, format, requestId } = this.#arrival;
    this.#writer.stop();
    if (this.#begun === undefined) sendError(reply, format, { error, requestId });
    else if (this.#begun === 'bytes') reply.drop();
    else reply.end(this.#formatError(error));
  }

  stop(): void {
    this.#writer.stop();
  }

  get transcript(): { contentType: string; body: string } {
    const { contentType = '', body = '' } = this.#whole ?? {};
    return { contentType, body: String(body) };
  }

  #begin(how: 'events' | 'bytes', contentType: string): void {
    if (this.#begun !== undefined) return;
    this.#begun = how;
    this.#arrival.reply.begin(200, {
      ...this.#createHeaders(),
      'content-type': contentType,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
  }

  #formatError(error: GatewayError): string {
    const { format, requestId } = this.#arrival;
    return formatSse({ event: 'error', data: JSON.stringify(format.encodeError(error, requestId)) });
  }
}
