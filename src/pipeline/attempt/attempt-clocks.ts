import type { Ports } from '../request/ports.ts';
import { type Deadline, startDeadline } from '#base';

/** A whole answer arrives with its last token, so it may take this many times as long as a first event. */
const WHOLE_ANSWER_FACTOR = 5;

/** The timeouts of one attempt: first event, idle and total. */
export class AttemptClocks {
  readonly #ports: Pick<Ports, 'live'>;
  readonly #onTimeout: (message: string) => void;
  #silence: Deadline | undefined;
  #total: Deadline | undefined;

  constructor(ports: Pick<Ports, 'live'>, onTimeout: (message: string) => void) {
    this.#ports = ports;
    this.#onTimeout = onTimeout;
  }

  /** Starts the timeouts for a streamed or a whole answer. */
  start(awaited: 'event' | 'whole'): void {
    const { firstEventMs, totalMs } = this.#ports.live().timeouts;
    const beginMs =
      awaited === 'event' ? firstEventMs : Math.min(totalMs, firstEventMs * WHOLE_ANSWER_FACTOR);
    this.#silence = this.#set(beginMs, 'the provider did not start its response in time');
    this.#total = this.#set(totalMs, 'the response took longer than the gateway allows');
  }

  /** Restarts the idle timeout. */
  refresh(): void {
    this.#silence?.refresh();
  }

  awaitNext(): void {
    this.#silence?.stop();
    const { idleMs } = this.#ports.live().timeouts;
    this.#silence = this.#set(idleMs, 'the provider stopped sending in the middle of its response');
  }

  /** While the caller reads nothing, a silent provider is not at fault. */
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
