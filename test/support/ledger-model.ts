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
  | ReportStep
  /** The journals of a process that is gone have been written as a whole. */
  | { t: 'return'; owner: number }
  /** Its heartbeat is too old: it crashed, or is suspended and resumes with a beat. */
  | { t: 'silence'; owner: number }
  /** The database's clock jumps forward: every heartbeat is too old. */
  | { t: 'leap' }
  | { t: 'sweep'; owner: number; exclusive: boolean };

/** What a process reports of its leases, all or nothing. */
export interface ReportStep {
  t: 'report';
  owner: number;
  leases: { id: string; key: number; keep: number; want: number; least: number }[];
  /** Requests that get holds of their own. */
  opened: { id: string; lease: string; amount: number }[];
  /** Of requests with holds of their own. */
  bills: { id: string; customer: number }[];
  /** Of requests that ended on their lease. */
  leased: { id: string; lease: string; customer: number }[];
}

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
  isLease: boolean;
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
  readonly #living: Set<number>;
  /** What leases of gone processes held, until their journal turns up. */
  readonly #lost = new Map<string, { owner: number; amount: number; isFound: boolean }>();

  /** `living`: the processes that are heard of; several organizations may share them. */
  constructor(
    keyLimits: readonly (number | null)[],
    organizationLimit: number | null,
    living = new Set<number>(),
  ) {
    this.#living = living;
    this.keys = keyLimits.map((lim) => ({ lim, used: 0, held: 0 }));
    this.organization = { lim: organizationLimit, used: 0, held: 0 };
  }

  get openHolds(): number {
    return this.#holds.size;
  }

  get lost(): number {
    let sum = 0;
    for (const { amount, isFound } of this.#lost.values()) if (!isFound) sum += amount;
    return sum;
  }

  /** The amount of a hold or a lease; `undefined` if there is none. */
  amountOf(id: string): number | undefined {
    return this.#holds.get(id)?.amount;
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
      case 'report':
        return this.#report(step);
      case 'return':
        this.#return(step.owner);
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
      this.#holds.set(id, { owner, key, amount: given, progress: 0, isLease: false });
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
    this.#enter(id, { key: this.#take(id).key, customer, swept });
  }

  #settleLate({ id, key, customer }: { id: string; key: number; customer: number }): void {
    const entry = this.#entries.get(id);
    if (!entry) {
      this.#enter(id, { key, customer, swept: false });
    } else if (entry.swept && !entry.adjusted) {
      entry.adjusted = true;
      for (const meter of this.#metersOf(entry.key)) meter.used += customer - entry.customer;
    }
  }

  #sweep({ owner, exclusive }: Step & { t: 'sweep' }): void {
    for (const [id, hold] of [...this.#holds]) {
      if (hold.owner === owner || (!exclusive && this.#living.has(hold.owner))) continue;
      if (!hold.isLease) this.#resolve({ id, customer: hold.progress }, true);
      else if (this.#take(id).amount > 0)
        this.#lost.set(id, { owner: hold.owner, amount: hold.amount, isFound: false });
    }
  }

  #report({ owner, leases, opened, bills, leased }: ReportStep): string {
    const isOwn = (lease: string): boolean => this.#findLease(lease, owner) !== undefined;
    const created = leases.filter(({ id, want, keep }) => want > 0 && keep === 0 && this.#open(id));
    for (const { id, key } of created)
      this.#holds.set(id, { owner, key, amount: 0, progress: 0, isLease: true });
    const opening = opened.filter(({ id, lease }) => isOwn(lease) && this.#open(id));
    const willBeHeld = (id: string): boolean => this.#holds.has(id) || opening.some((one) => one.id === id);
    const isWhole =
      leased.every(({ id, lease }) => isOwn(lease) && !this.#entries.has(id)) &&
      bills.every(({ id }) => willBeHeld(id) && !this.#entries.has(id));
    if (!isWhole) {
      for (const { id } of created) this.#holds.delete(id);
      return 'failed';
    }
    for (const { id, keep } of leases) {
      const lease = this.#findLease(id, owner);
      if (lease) this.#change(lease, Math.min(keep, lease.amount) - lease.amount);
    }
    for (const { id, lease, amount } of opening) {
      const hold: ModelHold = {
        owner,
        key: this.#findLease(lease, owner)?.key ?? 0,
        amount: 0,
        progress: 0,
        isLease: false,
      };
      this.#holds.set(id, hold);
      this.#change(hold, amount);
    }
    for (const { id, lease, customer } of leased)
      this.#enter(id, { key: this.#findLease(lease, owner)?.key ?? 0, customer, swept: false });
    for (const bill of bills) this.#resolve(bill, false);
    this.#enlarge(owner, leases);
    return this.#finishReport(owner, leases);
  }

  /** Whether neither a hold nor an entry has this id. */
  #open(id: string): boolean {
    return !this.#holds.has(id) && !this.#entries.has(id) && !this.#lost.has(id);
  }

  #findLease(id: string, owner: number): ModelHold | undefined {
    const hold = this.#holds.get(id);
    return hold?.isLease === true && hold.owner === owner ? hold : undefined;
  }

  /** At most a fair share of what is free: a quarter, divided by the living processes and by the leases that ask together. */
  #enlarge(owner: number, leases: ReportStep['leases']): void {
    const wanting = leases.filter(({ id, want }) => want > 0 && this.#findLease(id, owner));
    const living = Math.max(1, this.#living.size);
    const shareOf = (meter: ModelMeter): number => {
      const asking = wanting.filter(({ key }) => this.#metersOf(key).includes(meter)).length;
      return Math.floor(((meter.lim ?? Infinity) - meter.used - meter.held) / (asking * 4 * living));
    };
    const granted = wanting.map((one) => ({
      ...one,
      amount: Math.min(one.want, ...this.#metersOf(one.key).map(shareOf)),
    }));
    for (const { id, amount, least } of granted) {
      const lease = this.#findLease(id, owner);
      if (lease && amount >= Math.max(least, 1)) this.#change(lease, amount);
    }
  }

  /** Returns the amounts of the leases that exist now. */
  #finishReport(owner: number, leases: ReportStep['leases']): string {
    const amounts: string[] = [];
    for (const id of new Set(leases.map((one) => one.id))) {
      const lease = this.#findLease(id, owner);
      if (lease?.amount === 0) this.#holds.delete(id);
      else if (lease) amounts.push(`${id} ${lease.amount}`);
    }
    return amounts.sort().join(' ');
  }

  /** Its leases held nothing that is not booked. */
  #return(owner: number): void {
    for (const [id, hold] of [...this.#holds]) if (hold.isLease && hold.owner === owner) this.#take(id);
    for (const lost of this.#lost.values()) if (lost.owner === owner) lost.isFound = true;
  }

  #change(hold: ModelHold, by: number): void {
    hold.amount += by;
    for (const meter of this.#metersOf(hold.key)) meter.held += by;
  }

  #enter(id: string, { key, customer, swept }: Omit<ModelEntry, 'adjusted'>): void {
    for (const meter of this.#metersOf(key)) meter.used += customer;
    this.#entries.set(id, { key, customer, swept, adjusted: false });
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
