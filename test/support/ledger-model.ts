/** One operation on the ledger. */
export type Step =
  | {
      t: 'reserve';
      owner: number;
      id: string;
      key: number;
      amount: number;
      least: number | null;
      final: boolean;
    }
  | { t: 'grow'; owner: number; id: string; amount: number; least: number }
  | { t: 'settle'; owner: number; settlements: { id: string; key: number; customer: number }[] }
  | { t: 'beat'; owner: number; progress: { id: string; customer: number }[] }
  | { t: 'release'; owner: number; ids: string[] }
  /** Its heartbeat is too old: it crashed, or is suspended and resumes with a beat. */
  | { t: 'silence'; owner: number }
  /** The database's clock jumps forward: every heartbeat is too old. */
  | { t: 'leap' }
  | { t: 'sweep'; owner: number; exclusive: boolean };

/** A sum of money in a meter. */
interface ModelMeter {
  lim: number | null;
  used: number;
  held: number;
}

interface ModelHold {
  owner: number;
  key: number;
  amount: number;
  progress: number;
}

interface ModelEntry {
  key: number;
  customer: number;
  swept: boolean;
  adjusted: boolean;
}

/**
 * The specified behaviour of the ledger in its simplest form: one of several keys and their organization, without
 * periods.
 */
export class LedgerModel {
  readonly keys: readonly ModelMeter[];
  readonly organization: ModelMeter;
  readonly #holds = new Map<string, ModelHold>();
  readonly #entries = new Map<string, ModelEntry>();
  readonly #living = new Set<number>();

  constructor(keyLimits: readonly (number | null)[], organizationLimit: number | null) {
    this.keys = keyLimits.map((lim) => ({ lim, used: 0, held: 0 }));
    this.organization = { lim: organizationLimit, used: 0, held: 0 };
  }

  get openHolds(): number {
    return this.#holds.size;
  }

  /** Runs a step; returns the answer of a reserve and of a growth. */
  run(step: Step): string | undefined {
    switch (step.t) {
      case 'reserve':
        return this.#reserve(step);
      case 'grow':
        return this.#grow(step);
      case 'settle':
        // Holds first, then late settlements, in the order of one statement.
        for (const settlement of step.settlements.filter(({ id }) => this.#holds.has(id)))
          this.#resolve(settlement, false);
        for (const settlement of step.settlements) this.#settleLate(settlement);
        return undefined;
      case 'beat':
        this.#living.add(step.owner);
        for (const { id, customer } of step.progress) {
          const hold = this.#holds.get(id);
          if (hold?.owner === step.owner) hold.progress = customer;
        }
        return undefined;
      case 'release':
        for (const id of step.ids) if (this.#holds.get(id)?.owner === step.owner) this.#take(id);
        return undefined;
      case 'silence':
        this.#living.delete(step.owner);
        return undefined;
      case 'leap':
        this.#living.clear();
        return undefined;
      case 'sweep':
        this.#sweep(step);
        return undefined;
    }
  }

  #reserve({ owner, id, key, amount, least, final }: Step & { t: 'reserve' }): string {
    const hold = this.#holds.get(id);
    if (hold) return `ok ${hold.amount}`;
    if (this.#entries.has(id)) return 'closed';
    const meters = this.#metersOf(key);
    const ceiling = Math.min(...meters.map(({ lim, used }) => (lim ?? Infinity) - used));
    const room = Math.min(...meters.map(({ lim, used, held }) => (lim ?? Infinity) - used - held));
    const need = Math.min(amount, least ?? amount);
    const isShrunk = amount > room && (amount > ceiling || final) && need <= room;
    const given = isShrunk ? room : amount;
    if (given === 0 || given <= room) {
      for (const meter of meters) meter.held += given;
      this.#holds.set(id, { owner, key, amount: given, progress: 0 });
      return `ok ${given}`;
    }
    return need > ceiling ? 'refused' : 'blocked';
  }

  #grow({ owner, id, amount, least }: Step & { t: 'grow' }): string {
    const hold = this.#holds.get(id);
    if (hold?.owner !== owner) return 'closed';
    const meters = this.#metersOf(hold.key);
    const room = Math.min(...meters.map(({ lim, used, held }) => (lim ?? Infinity) - used - held));
    const added = Math.min(amount, room);
    if (added < least) {
      const ceiling = Math.min(...meters.map(({ lim, used }) => (lim ?? Infinity) - used));
      return ceiling - hold.amount < least ? 'refused' : 'blocked';
    }
    hold.amount += added;
    for (const meter of meters) meter.held += added;
    return `ok ${hold.amount}`;
  }

  #resolve({ id, customer }: { id: string; customer: number }, swept: boolean): void {
    const { key } = this.#take(id);
    for (const meter of this.#metersOf(key)) meter.used += customer;
    this.#entries.set(id, { key, customer, swept, adjusted: false });
  }

  #settleLate({ id, key, customer }: { id: string; key: number; customer: number }): void {
    const entry = this.#entries.get(id);
    if (!entry) {
      for (const meter of this.#metersOf(key)) meter.used += customer;
      this.#entries.set(id, { key, customer, swept: false, adjusted: false });
    } else if (entry.swept && !entry.adjusted) {
      entry.adjusted = true;
      for (const meter of this.#metersOf(entry.key)) meter.used += customer - entry.customer;
    }
  }

  #sweep({ owner, exclusive }: Step & { t: 'sweep' }): void {
    for (const [id, hold] of [...this.#holds]) {
      if (hold.owner === owner || (!exclusive && this.#living.has(hold.owner))) continue;
      this.#resolve({ id, customer: hold.progress }, true);
    }
  }

  #take(id: string): ModelHold {
    const hold = this.#holds.get(id) as ModelHold;
    this.#holds.delete(id);
    for (const meter of this.#metersOf(hold.key)) meter.held -= hold.amount;
    return hold;
  }

  #metersOf(key: number): ModelMeter[] {
    return [this.keys[key] as ModelMeter, this.organization];
  }
}
