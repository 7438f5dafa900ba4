import type { JsonObject } from '#base';
import type { LogReader, LogRow } from '#logs';
import type { Reply } from '#pipeline';
import { formatSse } from '#base';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store',
  'x-accel-buffering': 'no', // nginx would keep the events back
};
/** How long a browser waits before it connects again. */
const RETRY = 'retry: 2000\n\n';
const LOOK_MS = 1_000;
/** A caller that has read nothing for this long gives its place to others. */
const MOST_UNREAD = 60;
/** Proxies close connections on which nothing is sent. */
const PING_EVERY = 15;
const PING = ': still here\n\n';

interface StreamOptions {
  encode(row: LogRow): JsonObject;
  /** Asked once a second. */
  isOver(): Promise<boolean>;
}

/** Sends rows as server-sent events to one caller, who may read more slowly than they arrive. */
export class EventStream {
  readonly #reply: Reply;
  readonly #options: StreamOptions;
  /** Rows that arrived before the latest were read. */
  #waiting: LogRow[] | undefined = [];
  #isFull = false;
  #hasSkipped = false;
  readonly #over = Promise.withResolvers<undefined>();

  constructor(reply: Reply, options: StreamOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  readonly reader: Omit<LogReader, 'filter'> = {
    take: (row) => (this.#waiting ? void this.#waiting.push(row) : this.#send(row)),
    skip: () => this.#skip(),
    fail: () => this.#over.resolve(undefined),
  };

  /** Sends the latest and what follows; resolves once the stream has ended. */
  async run(latest: readonly LogRow[], seconds: number | undefined): Promise<void> {
    const reply = this.#reply;
    reply.begin(200, HEADERS);
    reply.onGone(() => this.#over.resolve(undefined));
    reply.onDrain(() => this.#drain());
    reply.write(RETRY);
    const sent = new Set(latest.map(({ requestId }) => requestId));
    const early = (this.#waiting ?? []).filter(({ requestId }) => !sent.has(requestId));
    this.#waiting = undefined;
    for (const row of [...latest, ...early]) this.#sendRow(row);
    if (seconds !== 0) await this.#wait(seconds);
    reply.end('');
  }

  async #wait(seconds = Infinity): Promise<void> {
    let count = 0;
    let unread = 0;
    let isAsking = false;
    const timer = setInterval(() => {
      count += 1;
      unread = this.#isFull ? unread + 1 : 0;
      if (count >= seconds || unread >= MOST_UNREAD) this.#over.resolve(undefined);
      if (count % PING_EVERY === 0 && !this.#isFull) this.#write(PING);
      if (isAsking) return;
      isAsking = true;
      void this.#options.isOver().then((isOver) => {
        isAsking = false;
        if (isOver) this.#over.resolve(undefined);
      });
    }, LOOK_MS);
    await this.#over.promise;
    clearInterval(timer);
  }

  #send(row: LogRow): void {
    if (this.#isFull) this.#skip();
    else this.#sendRow(row);
  }

  #sendRow(row: LogRow): void {
    this.#write(formatSse({ event: 'log', data: JSON.stringify(this.#options.encode(row)) }));
  }

  #skip(): void {
    if (this.#isFull) this.#hasSkipped = true;
    else this.#write(formatSse({ event: 'skipped', data: '{}' }));
  }

  #write(text: string): void {
    this.#isFull = !this.#reply.write(text);
  }

  #drain(): void {
    this.#isFull = false;
    if (!this.#hasSkipped) return;
    this.#hasSkipped = false;
    this.#skip();
  }
}
