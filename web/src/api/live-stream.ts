import { GATEWAY } from './client.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

interface LiveOptions<Row> {
  /** Filters of the list. */
  query: string;
  onState(state: LiveState): void;
  onRow(row: Row): void;
  /** At the beginning and whenever rows may have been missed. */
  onGap(): void;
  /** The stream has ended, for whatever reason. */
  onEnd(): void;
}

/** The gateway ends streams, as it stops or as rights change: only what lasts longer is a lost connection. */
const LOST_MS = 1_500;
const FIRST_RETRY_MS = 300;
const MOST_RETRY_MS = 5_000;

/** Requests as they end; connects again until it is closed. */
export class LiveStream<Row> {
  readonly #options: LiveOptions<Row>;
  #source: EventSource | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retry: number | undefined;
  #lost: number | undefined;

  constructor(options: LiveOptions<Row>) {
    this.#options = options;
    options.onState('connecting');
    this.#open();
  }

  close(): void {
    this.#source?.close();
    clearTimeout(this.#retry);
    clearTimeout(this.#lost);
  }

  #open(): void {
    const { query, onState, onRow, onGap } = this.#options;
    const source = new EventSource(`${GATEWAY}/admin/v1/logs/stream${query === '' ? '' : `?${query}`}`);
    this.#source = source;
    source.addEventListener('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
      clearTimeout(this.#lost);
      this.#lost = undefined;
      onState('live');
      onGap();
    });
    source.addEventListener('log', ({ data }: MessageEvent<string>) => onRow(JSON.parse(data) as Row));
    source.addEventListener('skipped', () => onGap());
    source.addEventListener('error', () => this.#reopen(source));
  }

  #reopen(source: EventSource): void {
    source.close();
    const { onState, onEnd } = this.#options;
    onEnd();
    this.#lost ??= window.setTimeout(() => onState('lost'), LOST_MS);
    this.#retry = window.setTimeout(() => this.#open(), this.#retryMs);
    this.#retryMs = Math.min(MOST_RETRY_MS, this.#retryMs * 2);
  }
}
