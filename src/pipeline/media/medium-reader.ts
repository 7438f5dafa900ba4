import type { HttpHeaders, SseMessage } from '#base';
import type { UpstreamFailure } from '#errors';
import type { MediaExchange, WholeAnswer } from '#media';
import type { AnswerSink } from '#providers';
import { SseParser, finish } from '#base';
import { inTurns } from '../request/step-scheduler.ts';
import { MEDIA_LIMITS, isHeavy } from '../request/json-limits.ts';
import { IncomingAnswer, findExcess, toUnreadable } from '../answer/incoming-answer.ts';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Receives what a reader has read. */
interface MediumListener {
  /** The queue in which a large answer waits for other large work. */
  queue?: string | undefined;
  onWhole(answer: WholeAnswer): void;
  onEvents(messages: readonly SseMessage[]): void;
  onBytes(bytes: Buffer, contentType: string): void;
  /** The relayed bytes have ended. */
  onBytesEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

type Mode = 'none' | 'whole' | 'events' | 'bytes' | 'error' | 'over';

/**
 * Turns the bytes of a provider's answer into a whole, events or pieces, as the exchange expects; an error stays an
 * error.
 */
export class MediumReader implements AnswerSink {
  readonly #exchange: Pick<MediaExchange, 'answer' | 'decodeFailure'>;
  readonly #listener: MediumListener;
  readonly #answer = new IncomingAnswer();
  #mode: Mode = 'none';
  #parser: SseParser | undefined;

  constructor(exchange: Pick<MediaExchange, 'answer' | 'decodeFailure'>, listener: MediumListener) {
    this.#exchange = exchange;
    this.#listener = listener;
  }

  get status(): number {
    return this.#answer.status;
  }

  onHead(status: number, headers: HttpHeaders): void {
    const failure = this.#answer.open(status, headers);
    if (failure) this.#fail(failure);
    else this.#mode = status >= 300 ? 'error' : this.#chooseMode();
  }

  onData(bytes: Buffer): void {
    if (this.#mode === 'events') this.#readEvents(() => this.#parser?.push(bytes) ?? []);
    else if (this.#mode === 'bytes') this.#listener.onBytes(bytes, this.#contentType);
    else if (this.#mode === 'error') this.#keepError(bytes);
    else if (this.#mode !== 'over') this.#keep(bytes);
  }

  onEnd(): void {
    if (this.#mode === 'events') this.#readEvents(() => this.#parser?.close() ?? []);
    if (this.#mode === 'over') return;
    if (this.#mode === 'whole') this.#endWhole();
    else if (this.#mode === 'error') this.#endError();
    else if (this.#mode === 'bytes') this.#listener.onBytesEnd();
    else this.#fail({ kind: 'broken', message: 'the provider cut its answer short' });
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#mode !== 'over') this.#fail(failure);
  }

  get #contentType(): string {
    const type = this.#answer.headers['content-type'];
    return typeof type === 'string' ? type : '';
  }

  /** A requested stream may still arrive as JSON: an error, or the answer of a provider that does not stream. */
  #chooseMode(): Mode {
    const { answer } = this.#exchange;
    if (answer.type === 'whole') return 'whole';
    if (answer.mediaTypes?.test(this.#contentType)) return 'bytes';
    if (answer.type === 'bytes') return 'error';
    if (!/^text\/event-stream\b/i.test(this.#contentType))
      return answer.decode && !/^text\/html\b/i.test(this.#contentType) ? 'whole' : 'error';
    this.#parser = new SseParser();
    return 'events';
  }

  #readEvents(read: () => SseMessage[]): void {
    try {
      const messages = read();
      if (messages.length > 0) this.#listener.onEvents(messages);
    } catch (thrown) {
      this.#fail(toUnreadable(thrown));
    }
  }

  #keep(bytes: Buffer): void {
    const failure = this.#answer.keep(bytes);
    if (failure) this.#fail(failure);
  }

  #endWhole(): void {
    const isJson = JSON_TYPE.test(this.#contentType);
    const bytes = isJson ? this.#answer.takeText() : this.#answer.take();
    const reading = this.#readWhole(bytes);
    if (isHeavy(bytes.length))
      void inTurns(this.#listener.queue ?? '', reading).catch((thrown: unknown) =>
        this.#fail(toUnreadable(thrown)),
      );
    else finish(reading);
  }

  /** Reads a complete answer in slices. */
  *#readWhole(bytes: Buffer): Generator<undefined, void> {
    const excess = JSON_TYPE.test(this.#contentType) ? yield* findExcess(bytes, MEDIA_LIMITS) : undefined;
    if (this.#mode === 'over') return; // the connection broke meanwhile
    if (excess) {
      this.#fail(excess);
      return;
    }
    this.#mode = 'over';
    this.#listener.onWhole({ contentType: this.#contentType, bytes });
  }

  /** The rest of a long error is not read: its failure ends the attempt and closes the connection. */
  #keepError(bytes: Buffer): void {
    if (!this.#answer.keepError(bytes)) this.#endError();
  }

  /** An error with its status, or one sent with 200. */
  #endError(): void {
    const failure = this.#exchange.decodeFailure(this.#answer.takeError());
    const isPage = this.status < 300 && !JSON_TYPE.test(this.#contentType);
    this.#fail(isPage ? { ...failure, kind: 'garbled' } : failure);
  }

  #fail(failure: UpstreamFailure): void {
    this.#mode = 'over';
    this.#answer.drop();
    this.#listener.onFailure(failure);
  }
}
