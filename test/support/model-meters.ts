/** A sum of money in a meter. */
export interface ModelMeter {
  readonly lim: number | null;
  used: number;
  held: number;
}

/** A limit that renews. */
export interface Renewal {
  lim: number;
  lengthMs: number;
}

/** What a limit that renews counts: it begins with the first request that is charged to it, and includes its end. */
interface ModelPeriod extends ModelMeter {
  readonly startMs: number;
  readonly endMs: number;
  /** Open holds, leases and charged requests. */
  uses: number;
}

/** What a request draws on. */
export interface ModelMeters {
  all: readonly ModelMeter[];
  period: ModelPeriod | undefined;
}

/** Money that a request or a lease has reserved. */
export interface ModelHold extends ModelMeters {
  owner: number;
  key: number;
  amount: number;
  progress: number;
  isLease: boolean;
}

/** What a request was charged. */
export interface ModelEntry {
  key: number;
  meters: readonly ModelMeter[];
  customer: number;
  swept: boolean;
  adjusted: boolean;
  /** The period of its hold, if a sweep charged nothing to it. */
  skipped?: ModelPeriod | undefined;
}

/** The periods of a key. */
export class ModelPeriods {
  readonly #renewal: Renewal | undefined;
  readonly #all: ModelPeriod[] = [];

  constructor(renewal: Renewal | undefined) {
    this.#renewal = renewal;
  }

  /** The one that runs; else one that `use` begins. */
  findOrPlan(nowMs: number): ModelPeriod | undefined {
    if (this.#renewal === undefined) return undefined;
    const { lim, lengthMs } = this.#renewal;
    const running = this.#all.findLast(({ endMs }) => endMs >= nowMs);
    return running ?? { lim, used: 0, held: 0, startMs: nowMs, endMs: nowMs + lengthMs, uses: 0 };
  }

  /** What a lease draws on: a period that something has been charged to; `none` if there is no such. */
  findBegun(nowMs: number): ModelPeriod | 'none' | undefined {
    if (this.#renewal === undefined) return undefined;
    return this.#all.findLast(({ endMs, used }) => endMs > nowMs && used > 0) ?? 'none';
  }

  /** A period that a sweep charged nothing to, or the one that runs if nothing else was charged to it either. */
  findSkipped(skipped: ModelPeriod | undefined, nowMs: number): ModelPeriod | undefined {
    return skipped === undefined || this.#all.includes(skipped) ? skipped : this.findOrPlan(nowMs);
  }

  use(period: ModelPeriod | undefined): void {
    if (period === undefined) return;
    if (!this.#all.includes(period)) this.#all.push(period);
    period.uses += 1;
  }

  /** One that nothing uses has not begun. */
  leave(period: ModelPeriod | undefined): void {
    if (period === undefined) return;
    period.uses -= 1;
    if (period.uses === 0) this.#all.splice(this.#all.indexOf(period), 1);
  }

  describe(): string[] {
    return this.#all.map(({ used, held, uses }) => `${used} ${held} ${uses}`);
  }
}

/** What is left if every open hold comes back. */
export const ceilingOf = (meters: readonly ModelMeter[]): number =>
  Math.min(...meters.map(({ lim, used }) => (lim ?? Infinity) - used));

/** What is left now. */
export const roomOf = (meters: readonly ModelMeter[]): number =>
  Math.min(...meters.map(({ lim, used, held }) => (lim ?? Infinity) - used - held));
