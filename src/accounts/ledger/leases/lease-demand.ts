import type { PicoUsd } from '#base';

interface Second {
  count: number;
  sum: PicoUsd;
  largest: PicoUsd;
}

const createSecond = (): Second => ({ count: 0, sum: 0n, largest: 0n });
const SECOND_MS = 1_000;
/** This many requests within two seconds make a lease worth its statements. */
const BUSY = 8;
/** A lease covers at least this many of the largest holds: below that, requests take their holds one by one. */
const LEAST_HOLDS = 8n;

/** The amounts that requests of a subject held during this second and the one before. */
export class LeaseDemand {
  #startedMs: number;
  #now = createSecond();
  #before = createSecond();
  /** No lease is asked for until then: the last answer was that the limit is near. */
  refusedUntilMs = 0;

  constructor(nowMs: number) {
    this.#startedMs = nowMs;
  }

  record(amount: PicoUsd, nowMs: number): void {
    this.#turn(nowMs);
    this.#now.count += 1;
    this.#now.sum += amount;
    if (amount > this.#now.largest) this.#now.largest = amount;
  }

  isBusy(nowMs: number): boolean {
    this.#turn(nowMs);
    return this.#now.count + this.#before.count >= BUSY;
  }

  isOver(nowMs: number): boolean {
    return nowMs - this.#startedMs > 2 * SECOND_MS && this.refusedUntilMs <= nowMs;
  }

  /** The least amount that is worth a lease. */
  get least(): PicoUsd {
    const [one, other] = [this.#now.largest, this.#before.largest];
    return LEAST_HOLDS * (one > other ? one : other) + 1n;
  }

  /** What about a second of requests takes. */
  get second(): PicoUsd {
    const most = this.#now.sum > this.#before.sum ? this.#now.sum : this.#before.sum;
    return most > this.least ? most : this.least;
  }

  #turn(nowMs: number): void {
    const passedMs = nowMs - this.#startedMs;
    if (passedMs < SECOND_MS) return;
    this.#before = passedMs < 2 * SECOND_MS ? this.#now : createSecond();
    this.#now = createSecond();
    this.#startedMs = nowMs;
  }
}
