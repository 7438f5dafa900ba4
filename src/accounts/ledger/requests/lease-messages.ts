import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '#base';
import type { OwnerStore } from '../store/owner-store.ts';
import type { Subject } from '../../meters/subject.ts';

interface LeaseMessagesOptions {
  owners: OwnerStore;
  clock: Clock;
  onFault(error: unknown): void;
}

/** Other processes are asked to return money at most so often. */
const RECALL_EVERY_MS = 500;
const MOST_RECALLED = 10_000;
/** How long figures wait for reports of other processes; running ones report within milliseconds, busy ones later. */
const CATCH_UP_MS = 1_000;
const CATCH_UP_POLL_MS = 10;

/** What this process asks all others that may have leases. */
export class LeaseMessages {
  readonly #options: LeaseMessagesOptions;
  readonly #recalledMs = new Map<string, number>();

  constructor(options: LeaseMessagesOptions) {
    this.#options = options;
  }

  /** To return the leases on money that is needed here. */
  recall(name: string): void {
    const { owners, clock, onFault } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#recalledMs.get(name) ?? -Infinity) < RECALL_EVERY_MS) return;
    if (this.#recalledMs.size >= MOST_RECALLED) this.#recalledMs.clear();
    this.#recalledMs.set(name, nowMs);
    owners.notify(`return ${name}`).catch(onFault);
  }

  /** That this process has returned its leases on some money. */
  announceReturn(name: string): void {
    const { owners, onFault } = this.#options;
    owners.notify(`returned ${name}`).catch(onFault);
  }

  /**
   * Asks others to report their settlements of this money; resolves after a moment at most, with whether they have. A
   * report that is already under way may lack the latest settlements, so two are awaited.
   */
  async catchUp(subject: Pick<Subject, 'keyId' | 'organizationId'>): Promise<boolean> {
    const untilMs = this.#options.clock.monotonicMs() + CATCH_UP_MS;
    return (await this.#awaitReports(subject, untilMs)) && (await this.#awaitReports(subject, untilMs));
  }

  async #awaitReports(subject: Pick<Subject, 'keyId' | 'organizationId'>, untilMs: number): Promise<boolean> {
    const { owners, clock } = this.#options;
    const since = await owners.isBehind(subject);
    if (since === undefined) return true;
    await owners.notify('report');
    while ((await owners.isBehind(subject, since)) !== undefined) {
      if (clock.monotonicMs() >= untilMs) return false;
      await delay(CATCH_UP_POLL_MS);
    }
    return true;
  }
}
