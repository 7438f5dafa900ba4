const WINDOW_SECONDS = 60;
/** The current second and all that a window ending in it can include. */
const SLOTS = WINDOW_SECONDS + 1;

/**
 * The last 60 s, counted by whole seconds. A second counts until its last moment is 60 s old, so that keeping `used`
 * at or under N never admits more than N in any 60 s, at the price of waiting up to 1 s longer.
 */
export class SlidingWindow {
  readonly #counts = new Float64Array(SLOTS);
  #newest = -Infinity;
  #used = 0;

  used(nowMs: number): number {
    this.#advance(toSecond(nowMs));
    return this.#used;
  }

  /** Counts an amount at a moment; a negative one subtracts from that second. Expired amounts are ignored. */
  add(amount: number, atMs: number): void {
    const second = toSecond(atMs);
    this.#advance(second);
    if (second <= this.#newest - SLOTS) return;
    const before = this.#countAt(second);
    const after = Math.max(0, before + amount);
    this.#counts[second % SLOTS] = after;
    this.#used += after - before;
  }

  /** How long until an amount fits if nothing else arrives; infinite if it never does. */
  waitFor(amount: number, most: number, nowMs: number): number {
    let excess = this.used(nowMs) + amount - most;
    if (excess <= 0) return 0;
    for (let second = this.#newest - SLOTS + 1; second <= this.#newest; second += 1) {
      excess -= this.#countAt(second);
      if (excess <= 0) return (second + SLOTS) * 1_000 - nowMs;
    }
    return Infinity;
  }

  /** How long until the count is zero if nothing else arrives. */
  resetMs(nowMs: number): number {
    if (this.used(nowMs) === 0) return 0;
    let last = this.#newest;
    while (this.#countAt(last) === 0) last -= 1;
    return (last + SLOTS) * 1_000 - nowMs;
  }

  #countAt(second: number): number {
    return this.#counts[second % SLOTS] ?? 0;
  }

  #advance(second: number): void {
    if (second <= this.#newest) return;
    for (let passed = Math.max(this.#newest, second - SLOTS) + 1; passed <= second; passed += 1) {
      this.#used -= this.#countAt(passed);
      this.#counts[passed % SLOTS] = 0;
    }
    this.#newest = second;
  }
}

function toSecond(ms: number): number {
  return Math.floor(ms / 1_000);
}
