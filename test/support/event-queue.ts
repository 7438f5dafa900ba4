interface Event {
  atMs: number;
  serial: number;
  run(): void;
}

/** Simulated time: what is to happen runs in the order of its time, and of its scheduling. */
export class EventQueue {
  readonly #heap: Event[] = [];
  #serial = 0;
  nowMs = 0;

  after(ms: number, run: () => void): void {
    const event = { atMs: this.nowMs + ms, serial: (this.#serial += 1), run };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
  }

  /** Runs everything until then. */
  runUntil(endMs: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= endMs; first = this.#heap[0]) {
      this.#removeFirst();
      this.nowMs = first.atMs;
      first.run();
    }
    this.nowMs = endMs;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one] as Event, this.#heap[other] as Event];
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.serial < b.serial);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one] as Event, this.#heap[other] as Event];
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
