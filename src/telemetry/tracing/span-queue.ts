import type { OtlpObject } from '../otlp/encode.ts';
import type { DeliveryResult } from '../otlp/sender.ts';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { encodeJson, encodeProtobuf } from '../otlp/encode.ts';
import { traceRequest } from '../otlp/messages.ts';
import { type TracedRecord, buildSpans } from './build-spans.ts';
import { SCHEMA_URL } from './semantic-names.ts';
import { type ReadContent, sizeOfBodies } from './traced-bodies.ts';

/** Requests that wait to be exported; more are dropped. */
const MOST_WAITING = 4096;
const MOST_IN_BATCH = 256;
/** Built and encoded in one turn of the event loop: a fraction of a millisecond. */
const SLICE = 16;
/** Bodies that wait; requests beyond are exported without their content. */
const MOST_BODY_BYTES = 16 * 1024 * 1024;
/** Collectors refuse requests of about 20 MiB. */
const MOST_BODY_BYTES_IN_BATCH = 4 * 1024 * 1024;

interface QueueOptions {
  sender: {
    readonly isJson: boolean;
    send(body: Uint8Array): Promise<DeliveryResult>;
    endRetries(): void;
  };
  resource: OtlpObject;
  scope: OtlpObject;
  /** How long a request waits for others. */
  delayMs: number;
  /** Absent where no content is exported. */
  readContent?: ReadContent | undefined;
  /** A batch was dropped after all retries. */
  onLoss(count: number, status: number | undefined): void;
}

/** A bounded queue of ended requests for the collector; requests that do not fit are dropped and counted. */
export class SpanQueue {
  readonly #options: QueueOptions;
  #waiting: TracedRecord[] = [];
  #bodyBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #exported = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Requests whose spans were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Requests whose spans a collector has accepted. */
  get exported(): number {
    return this.#exported;
  }

  add(record: TracedRecord): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    const bytes = sizeOfBodies(record.bodies);
    const fits = this.#bodyBytes + bytes <= MOST_BODY_BYTES;
    this.#waiting.push(fits ? record : { ...record, bodies: undefined });
    if (fits) this.#bodyBytes += bytes;
    if (this.#sending) return;
    if (this.#waiting.length >= MOST_IN_BATCH) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#options.delayMs).unref();
  }

  /** Sends queued requests for at most this long; the rest is dropped. */
  async close(limitMs: number): Promise<void> {
    this.#options.sender.endRetries();
    if (!this.#sending && this.#waiting.length > 0) this.#start();
    const limit = new AbortController();
    await Promise.race([this.#sending, sleep(limitMs, undefined, limit).catch(() => undefined)]);
    limit.abort();
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
    clearTimeout(this.#timer);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      const body = await this.#encode(batch);
      const { isAccepted, status } = await this.#options.sender.send(body);
      if (isAccepted) this.#exported += batch.length;
      else {
        this.#dropped += batch.length;
        this.#options.onLoss(batch.length, status);
      }
    }
  }

  #takeBatch(): TracedRecord[] {
    let bytes = 0;
    const end = this.#waiting.slice(0, MOST_IN_BATCH).findIndex(({ bodies }) => {
      bytes += sizeOfBodies(bodies);
      return bytes > MOST_BODY_BYTES_IN_BATCH;
    });
    const batch = this.#waiting.splice(0, end === -1 ? MOST_IN_BATCH : Math.max(1, end));
    for (const { bodies } of batch) this.#bodyBytes -= sizeOfBodies(bodies);
    return batch;
  }

  /** In slices, so that requests in progress wait for none of it. Concatenated messages are one message in protobuf. */
  async #encode(batch: readonly TracedRecord[]): Promise<Uint8Array> {
    const { readContent, sender } = this.#options;
    const { isJson } = sender;
    const slice = batch.some(({ bodies }) => bodies) ? 1 : SLICE; // a body may take milliseconds to read
    const pieces: Buffer[] = [];
    const spans: OtlpObject[] = [];
    for (let at = 0; at < batch.length; at += slice) {
      await nextTurn();
      const built = batch.slice(at, at + slice).flatMap((record) => buildSpans(record, readContent));
      if (isJson) spans.push(...built);
      else pieces.push(encodeProtobuf(traceRequest, this.#wrap(built)));
    }
    return isJson ? encodeJson(this.#wrap(spans)) : Buffer.concat(pieces);
  }

  #wrap(spans: readonly OtlpObject[]): OtlpObject {
    const { resource, scope } = this.#options;
    return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }], schemaUrl: SCHEMA_URL }] };
  }
}
