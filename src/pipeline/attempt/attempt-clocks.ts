import type { Ports } from '../request/ports.ts';
import { type Deadline, startDeadline } from '#base';

/** A whole answer arrives at once and as late as its last word: it may take this many times as long as a first event. */
const WHOLE_ANSWER_FACTOR = 5;

/** The clocks of one attempt: for its beginning, for silence in the middle, and for the whole. */
export class AttemptClocks {
  readonly #ports: Pick<Ports, 'live'>;
  readonly #onTimeout: (message: string) => void;
  #silence: Deadline | undefined;
  #total: Deadline | undefined;

  constructor(ports: Pick<Ports, 'live'>, onTimeout: (message: string) => void) {
    this.#ports = ports;
    this.#onTimeout = onTimeout;
  }

  /** Starts them for an answer of which the first event counts, or which comes as a whole. */
  start(awaited: 'event' | 'whole'): void {
    const { firstEventMs, totalMs } = this.#ports.live().timeouts;
    const beginMs =
      awaited === 'event' ? firstEventMs : Math.min(totalMs, firstEventMs * WHOLE_ANSWER_FACTOR);
    this.#silence = this.#set(beginMs, 'the provider did not begin its answer in time');
    this.#total = this.#set(totalMs, 'the answer took longer than the gateway allows');
  }

  /** Something showed life. */
  refresh(): void {
    this.#silence?.refresh();
  }

  awaitNext(): void {
    this.#silence?.stop();
    const { idleMs } = this.#ports.live().timeouts;
    this.#silence = this.#set(idleMs, 'the provider fell silent in the middle of its answer');
  }

  /** While the caller takes nothing, silence says nothing about the provider. */
  pause(): void {
    this.#silence?.stop();
  }

  stop(): void {
    this.#silence?.stop();
    this.#total?.stop();
  }

  #set(ms: number, message: string): Deadline {
    return startDeadline(ms, () => this.#onTimeout(message));
  }
}
