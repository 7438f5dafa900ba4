import type { PicoUsd } from '#base';
import { LeaseDemand } from './lease-demand.ts';
import type { HoldRequest } from '../ledger.ts';
import { type Subject, namesOf, toSubject } from '../../meters/subject.ts';

/** Money that this process holds for the next requests of one subject. */
export interface Lease {
  readonly id: string;
  readonly subject: Subject;
  /** What is left for the next requests; negative if requests cost more than they held. */
  free: PicoUsd;
  /** What open requests took. */
  taken: PicoUsd;
  /** The amount the database has; absent while that is uncertain. */
  stored: PicoUsd | undefined;
  /**
   * `asked`: not yet granted. `open`: covers requests. `ending`: takes no more of them, as after a refusal of more, and gives
   * back what is free.
   */
  state: 'asked' | 'open' | 'ending';
  usedMs: number;
  /**
   * The meters of periods that its requests are charged to, and when the first of these periods ends by the database's
   * clock; absent without periods.
   */
  period: { readonly meters: readonly number[]; readonly endsMs: number } | undefined;
}

/** A lease as the database stores it. */
export interface StoredLease {
  amount: PicoUsd;
  /** For a lease with periods: its meters, and how long until the first of the periods ends. */
  period?: { meters: readonly number[]; restMs: number };
}

/** A report of a lease to the database: what it keeps, and how much more is wanted. */
export interface LeaseReport {
  lease: Lease;
  keep: PicoUsd;
  want: PicoUsd;
  /** A smaller amount is not accepted. */
  least: PicoUsd;
}

/** A lease that no request has used for this long is returned. */
const IDLE_MS = 3_000;
/** How long a subject has no lease after others needed its money. */
const SUSPENDED_MS = 3_000;
const REFUSED_MS = 2_000;
/** How often ended entries are removed: most subjects are never busy, and there are many session tokens. */
const PRUNE_MS = 2_000;

/** The leases of this process: requests are admitted by subtraction. */
export class Leases {
  readonly #leases = new Map<string, Lease>();
  readonly #demands = new Map<string, LeaseDemand>();
  readonly #suspended = new Map<string, number>();
  readonly #createId: () => string;
  #reportedMs = 0;
  #prunedMs = -Infinity;
  /** The seconds that a lease should last: more than one where reports take long. */
  #seconds = 1n;

  constructor(createId: () => string) {
    this.#createId = createId;
  }

  get size(): number {
    return this.#leases.size;
  }

  /**
   * Takes a request from the lease that covers it; without `lease` the request needs a hold of its own. `isShort` reports
   * that the lease should be created or enlarged now.
   */
  take(request: HoldRequest, nowMs: number): { lease?: Lease; isShort: boolean } {
    const { caller, amount, premium = false } = request;
    const key = keyOf(caller, premium);
    this.#prune(nowMs);
    const demand = this.#demandOf(key, nowMs);
    demand.record(amount, nowMs);
    const lease = this.#leases.get(key);
    if (lease === undefined) return { isShort: this.#ask(key, { request, demand, nowMs }) };
    lease.usedMs = nowMs;
    if (hasEnded(lease, nowMs)) lease.state = 'ending';
    if (lease.state !== 'open') return { isShort: false };
    if (amount > lease.free) return { isShort: true };
    lease.free -= amount;
    lease.taken += amount;
    return { lease, isShort: lease.free < this.#aimOf(demand) / 4n };
  }

  /** Takes more for an open request; returns whether the lease covers it. */
  enlarge(lease: Lease, amount: PicoUsd): boolean {
    if (lease.state !== 'open' || amount > lease.free) return false;
    lease.free -= amount;
    lease.taken += amount;
    return true;
  }

  /** Removes an open request from the lease; its cost has been moved from the lease to the used amount. */
  release(lease: Lease, amount: PicoUsd, cost: PicoUsd): void {
    lease.taken -= amount;
    lease.free += amount - cost;
  }

  /** Ends the leases on the money of `name` for a while: others need it, or its limit changed. Returns whether there are any. */
  suspend(name: string, nowMs: number): boolean {
    this.#prune(nowMs);
    this.#suspended.set(name, nowMs + SUSPENDED_MS);
    const found = [...this.#leases.values()].filter(({ subject }) => namesOf(subject).includes(name));
    for (const lease of found) lease.state = 'ending';
    return found.length > 0;
  }

  endAll(): void {
    for (const lease of this.#leases.values()) lease.state = 'ending';
  }

  /** What to report now. All leases if `all`, else those with a change. */
  composeReports(nowMs: number, all: boolean): LeaseReport[] {
    this.#reportedMs = nowMs;
    const reports: LeaseReport[] = [];
    for (const [key, lease] of this.#leases) {
      const report = this.#composeReport(key, lease, nowMs);
      if (!all && report.want === 0n && report.keep === lease.stored) continue;
      lease.stored = undefined;
      reports.push(report);
    }
    return reports;
  }

  /** Takes the answer to a report: the leases that exist. */
  apply(reports: readonly LeaseReport[], states: ReadonlyMap<string, StoredLease>, nowMs: number): void {
    this.#seconds = BigInt(Math.max(1, Math.ceil((2 * (nowMs - this.#reportedMs)) / 1_000)));
    for (const report of reports) {
      const { lease, keep, want } = report;
      const key = keyOf(lease.subject, lease.subject.premium);
      const { amount, period } = states.get(lease.id) ?? {};
      const isRefused = want > 0n && (amount === undefined || amount <= keep);
      if (isRefused) this.#demandOf(key, nowMs).refusedUntilMs = nowMs + REFUSED_MS;
      if (amount === undefined) {
        lease.state = 'ending'; // it has been given back, was refused, or was taken from a process thought gone
        if (this.#leases.get(key) === lease) this.#leases.delete(key);
        continue;
      }
      lease.free += amount - keep;
      lease.stored = amount;
      // From when it was asked: the lease ends early by the time the answer took, never late.
      lease.period = period && { meters: period.meters, endsMs: this.#reportedMs + period.restMs };
      if (lease.state === 'asked') lease.state = 'open';
      if (isRefused || hasEnded(lease, nowMs)) lease.state = 'ending';
    }
  }

  #ask(
    key: string,
    { request, demand, nowMs }: { request: HoldRequest; demand: LeaseDemand; nowMs: number },
  ): boolean {
    if (demand.refusedUntilMs > nowMs || !demand.isBusy(nowMs)) return false;
    const subject = toSubject(request.caller, request.premium);
    if (namesOf(subject).some((name) => (this.#suspended.get(name) ?? 0) > nowMs)) return false;
    this.#leases.set(key, {
      id: this.#createId(),
      subject,
      free: 0n,
      taken: 0n,
      stored: undefined,
      state: 'asked',
      usedMs: nowMs,
      period: undefined,
    });
    return true;
  }

  #composeReport(key: string, lease: Lease, nowMs: number): LeaseReport {
    const demand = this.#demandOf(key, nowMs);
    if (nowMs - lease.usedMs > IDLE_MS || hasEnded(lease, nowMs)) lease.state = 'ending';
    if (lease.state === 'ending') lease.free = 0n;
    const { least } = demand;
    const aim = this.#aimOf(demand);
    if (lease.free > 2n * aim) lease.free = aim;
    const isWanting = lease.state !== 'ending' && lease.free * 4n < aim * 3n;
    const kept = lease.free + lease.taken;
    return {
      lease,
      keep: kept > 0n ? kept : 0n,
      want: isWanting ? aim - lease.free : 0n,
      least: lease.free < least ? least - lease.free : 1n,
    };
  }

  #aimOf(demand: LeaseDemand): PicoUsd {
    return this.#seconds * demand.second;
  }

  #demandOf(key: string, nowMs: number): LeaseDemand {
    let demand = this.#demands.get(key);
    if (demand === undefined) {
      demand = new LeaseDemand(nowMs);
      this.#demands.set(key, demand);
    }
    return demand;
  }

  #prune(nowMs: number): void {
    if (nowMs - this.#prunedMs < PRUNE_MS) return;
    this.#prunedMs = nowMs;
    for (const [key, demand] of this.#demands)
      if (demand.isOver(nowMs) && !this.#leases.has(key)) this.#demands.delete(key);
    for (const [name, untilMs] of this.#suspended) if (untilMs <= nowMs) this.#suspended.delete(name);
  }
}

/** One of its periods is over: its next requests belong to others. */
function hasEnded({ period }: Lease, nowMs: number): boolean {
  return period !== undefined && period.endsMs <= nowMs;
}

/** Premium requests draw on an allowance that others do not. */
function keyOf(whose: Omit<Subject, 'premium'>, premium: boolean): string {
  const { keyId, organizationId, memberId, sessionTokenId } = whose;
  const key =
    memberId === undefined && sessionTokenId === undefined
      ? keyId
      : `${keyId} ${organizationId} ${memberId} ${sessionTokenId}`;
  return premium ? `${key} premium` : key;
}
