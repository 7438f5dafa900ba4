import type { ModelSettlement, ReportStep, Step } from './ledger-steps.ts';
import {
  type ModelEntry,
  type ModelHold,
  type ModelMeter,
  type ModelMeters,
  ModelPeriods,
  type Renewal,
  ceilingOf,
  roomOf,
} from './model-meters.ts';

interface ModelOptions {
  /** The processes that are heard of; several organizations may share them. */
  living?: Set<number>;
  /** Limits of keys that renew. */
  renewals?: readonly (Renewal | undefined)[];
}

/**
 * The specified behaviour of the ledger in its simplest form: one of several keys, of which some have a limit
 * that renews, and their organization.
 */
export class LedgerModel {
  readonly keys: readonly ModelMeter[];
  readonly organization: ModelMeter;
  readonly periods: readonly ModelPeriods[];
  readonly #holds = new Map<string, ModelHold>();
  readonly #entries = new Map<string, ModelEntry>();
  readonly #living: Set<number>;
  /** What each lease that there ever was draws on. */
  readonly #leases = new Map<string, ModelMeters>();
  #nowMs = 0;
  /** What leases of gone processes held, until their journal turns up. */
  readonly #lost = new Map<string, { owner: number; amount: number; isFound: boolean }>();

  constructor(
    keyLimits: readonly (number | null)[],
    organizationLimit: number | null,
    { living = new Set<number>(), renewals = [] }: ModelOptions = {},
  ) {
    this.#living = living;
    this.periods = keyLimits.map((_, key) => new ModelPeriods(renewals[key]));
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
        this.#settleUnheld(step.settlements);
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
        for (const id of step.ids)
          if (this.#holds.get(id)?.owner === step.owner) {
            const { key, period } = this.#take(id);
            this.#periodsOf(key).leave(period);
          }
        return undefined;
      case 'silence':
        this.#living.delete(step.owner);
        return undefined;
      case 'leap':
        this.#living.clear();
        return undefined;
      case 'pass':
        this.#nowMs += step.ms;
        return undefined;
      case 'sweep':
        this.#sweep(step);
        return undefined;
    }
  }

  #reserve({ owner, id, key, amount, least, final, share }: Step & { t: 'reserve' }): string {
    const hold = this.#holds.get(id);
    if (hold) return `ok ${hold.amount}`;
    if (this.#entries.has(id)) return 'closed';
    const meters = this.#metersOf(key, amount);
    const [ceiling, room] = [ceilingOf(meters.all), roomOf(meters.all)];
    const need = Math.min(amount, least ?? amount);
    const isShrunk = amount > room && (amount > ceiling || final) && need <= room;
    const part = share === undefined ? room : Math.min(room, Math.max(need, share, Math.floor(room / 2)));
    const given = isShrunk ? part : amount;
    if (given === 0 || given <= room) {
      this.#hold(id, { ...meters, owner, key, amount: 0, progress: 0, isLease: false }, given);
      return `ok ${given}`;
    }
    return need > ceiling ? 'refused' : 'blocked';
  }

  #grow({ owner, id, amount, least }: Step & { t: 'grow' }): string {
    const hold = this.#holds.get(id);
    if (hold?.owner !== owner) return 'closed';
    const added = Math.min(amount, roomOf(hold.all));
    if (added < least) return ceilingOf(hold.all) - hold.amount < least ? 'refused' : 'blocked';
    this.#change(hold, added);
    return `ok ${hold.amount}`;
  }

  #resolve({ id, customer }: { id: string; customer: number }, swept: boolean): void {
    const { key, all, period } = this.#take(id);
    const isUnused = period !== undefined && customer === 0;
    const meters = isUnused ? all.filter((meter) => meter !== period) : all;
    this.#enter(id, { key, meters, customer, swept, ...(isUnused && swept && { skipped: period }) });
    if (isUnused) this.#periodsOf(key).leave(period);
  }

  /** What was never stored, then what was swept: each is charged what its lease holds for it, and what is left. */
  #settleUnheld(settlements: readonly ModelSettlement[]): void {
    const unknown = settlements.filter(
      ({ id }, at) => !this.#entries.has(id) && settlements.findIndex((one) => one.id === id) === at,
    );
    for (const { id, key, customer, lease = '' } of unknown) {
      const leased = customer > 0 ? this.#leases.get(lease) : undefined;
      const { all, period } = leased ?? this.#metersOf(key, customer);
      const room = Math.max(0, roomOf(all));
      const paid = this.#payWithLease(lease, customer);
      this.#periodsOf(key).use(period);
      this.#enter(id, { key, meters: all, customer: Math.min(customer, paid + room), swept: false });
    }
    for (const { id, customer } of settlements) this.#adjust(id, customer);
  }

  /** What is settled on a lease is held there no more; where it was lost, that much is found. Returns what the lease held. */
  #payWithLease(id: string, customer: number): number {
    const lost = this.#lost.get(id);
    if (lost) lost.amount -= Math.min(lost.amount, customer);
    const lease = this.#holds.get(id);
    const paid = lease?.isLease === true ? Math.min(lease.amount, customer) : 0;
    if (lease) this.#change(lease, -paid);
    return paid;
  }

  #adjust(id: string, customer: number): void {
    const entry = this.#entries.get(id);
    if (entry?.swept !== true || entry.adjusted) return;
    entry.adjusted = true;
    const periods = this.#periodsOf(entry.key);
    const period = customer > 0 ? periods.findSkipped(entry.skipped, this.#nowMs) : undefined;
    periods.use(period);
    const meters = period ? [...entry.meters, period] : entry.meters;
    const more = Math.min(customer - entry.customer, Math.max(0, roomOf(meters)));
    for (const meter of meters) meter.used += more;
  }

  #sweep({ owner, exclusive }: Step & { t: 'sweep' }): void {
    for (const [id, hold] of Array.from(this.#holds)) {
      if (hold.owner === owner || (!exclusive && this.#living.has(hold.owner))) continue;
      if (!hold.isLease) this.#resolve({ id, customer: hold.progress }, true);
      else if (this.#endLease(id).amount > 0)
        this.#lost.set(id, { owner: hold.owner, amount: hold.amount, isFound: false });
    }
  }

  #report({ owner, leases, opened, bills, leased }: ReportStep): string {
    const isOwn = (lease: string): boolean => this.#findLease(lease, owner) !== undefined;
    const created = leases.filter(
      ({ id, key, want, keep }) =>
        want > 0 && keep === 0 && this.#open(id) && this.#periodsOf(key).findBegun(this.#nowMs) !== 'none',
    );
    for (const { id, key } of created) this.#createLease(id, { owner, key });
    const opening = opened.filter(({ id, lease }) => isOwn(lease) && this.#open(id));
    const willBeHeld = (id: string): boolean => this.#holds.has(id) || opening.some((one) => one.id === id);
    const isWhole =
      leased.every(({ id, lease }) => isOwn(lease) && !this.#entries.has(id)) &&
      bills.every(({ id }) => willBeHeld(id) && !this.#entries.has(id));
    if (!isWhole) {
      for (const { id } of created) this.#endLease(id);
      return 'failed';
    }
    for (const { id, keep } of leases) {
      const lease = this.#findLease(id, owner);
      if (lease) this.#change(lease, Math.min(keep, lease.amount) - lease.amount);
    }
    for (const { id, lease, amount } of opening)
      this.#hold(id, { ...this.#getLease(lease), amount: 0, progress: 0, isLease: false }, amount);
    for (const { id, lease, customer } of leased) {
      const { key, all, period } = this.#getLease(lease);
      this.#periodsOf(key).use(period);
      this.#enter(id, { key, meters: all, customer, swept: false });
    }
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

  #getLease(id: string): ModelHold {
    return this.#holds.get(id) as ModelHold;
  }

  #createLease(id: string, { owner, key }: { owner: number; key: number }): void {
    const period = this.#periodsOf(key).findBegun(this.#nowMs);
    if (period === 'none') return;
    const all = [this.keys[key] as ModelMeter, this.organization, ...(period ? [period] : [])];
    this.#hold(id, { all, period, owner, key, amount: 0, progress: 0, isLease: true }, 0);
  }

  #endLease(id: string): ModelHold {
    const lease = this.#take(id);
    this.#periodsOf(lease.key).leave(lease.period);
    return lease;
  }

  /** At most a fair share of what is free: a quarter, divided by the living processes and by the leases that ask together. */
  #enlarge(owner: number, leases: ReportStep['leases']): void {
    const wanting = leases.flatMap((one) => {
      const lease = this.#findLease(one.id, owner);
      const hasEnded = lease?.period !== undefined && lease.period.endMs <= this.#nowMs;
      return one.want > 0 && lease && !hasEnded ? [{ ...one, lease }] : [];
    });
    const living = Math.max(1, this.#living.size);
    const shareOf = (meter: ModelMeter): number => {
      const asking = wanting.filter(({ lease }) => lease.all.includes(meter)).length;
      return Math.floor(((meter.lim ?? Infinity) - meter.used - meter.held) / (asking * 4 * living));
    };
    const granted = wanting.map((one) => ({
      ...one,
      amount: Math.min(one.want, ...one.lease.all.map(shareOf)),
    }));
    for (const { lease, amount, least } of granted)
      if (amount >= Math.max(least, 1)) this.#change(lease, amount);
  }

  /** Returns the amounts of the leases that exist now. */
  #finishReport(owner: number, leases: ReportStep['leases']): string {
    const amounts: string[] = [];
    for (const id of new Set(leases.map((one) => one.id))) {
      const lease = this.#findLease(id, owner);
      if (lease?.amount === 0) this.#endLease(id);
      else if (lease) {
        amounts.push(`${id} ${lease.amount}`);
        this.#leases.set(id, lease);
      }
    }
    return amounts.sort().join(' ');
  }

  /** Its leases held nothing that is not booked. */
  #return(owner: number): void {
    for (const [id, hold] of Array.from(this.#holds))
      if (hold.isLease && hold.owner === owner) this.#endLease(id);
    for (const lost of this.#lost.values()) if (lost.owner === owner) lost.isFound = true;
  }

  #change(hold: ModelHold, by: number): void {
    hold.amount += by;
    for (const meter of hold.all) meter.held += by;
  }

  #hold(id: string, hold: ModelHold, amount: number): void {
    this.#holds.set(id, hold);
    this.#periodsOf(hold.key).use(hold.period);
    this.#change(hold, amount);
  }

  #enter(id: string, entry: Omit<ModelEntry, 'adjusted'>): void {
    for (const meter of entry.meters) meter.used += entry.customer;
    this.#entries.set(id, { ...entry, adjusted: false });
  }

  #take(id: string): ModelHold {
    const hold = this.#holds.get(id) as ModelHold;
    this.#holds.delete(id);
    for (const meter of hold.all) meter.held -= hold.amount;
    return hold;
  }

  #periodsOf(key: number): ModelPeriods {
    return this.periods[key] as ModelPeriods;
  }

  /** What a request draws on now: what costs nothing, on no period. */
  #metersOf(key: number, amount: number): ModelMeters {
    const period = amount > 0 ? this.#periodsOf(key).findOrPlan(this.#nowMs) : undefined;
    return { all: [this.keys[key] as ModelMeter, this.organization, ...(period ? [period] : [])], period };
  }
}
