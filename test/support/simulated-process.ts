import {
  Leases,
  type Lease,
  type LeaseReport,
  type StoredLease,
} from '../../src/accounts/ledger/leases/leases.ts';
import type { EventQueue } from './event-queue.ts';
import type { ReportStep } from './ledger-steps.ts';
import { SimulatedAdmission, type SimulationParts } from './simulated-admission.ts';
import { type SimulatedRequest, toHoldRequest } from './simulated-request.ts';
import { COSTS, type SimulatedPostgres } from './simulated-postgres.ts';

interface LeasedRequest {
  request: SimulatedRequest;
  lease: Lease;
  openedMs: number;
  hasHold: boolean;
  isSettled: boolean;
}

/** As in `leased-requests.ts` and `report-queue.ts`. */
const REPORT_EVERY_MS = 75;
const OPEN_MS = 100;
const REPORTED_AT_ONCE = 500;

/**
 * A process of a simulation. When it takes, enlarges and returns leases is decided by the ledger's own code; sending
 * and waiting are rewritten for simulated time.
 */
export class SimulatedProcess {
  readonly #owner: number;
  readonly #events: EventQueue;
  readonly #postgres: SimulatedPostgres;
  readonly #admission: SimulatedAdmission;
  readonly #leases: Leases;
  readonly #open = new Set<LeasedRequest>();
  readonly #opening = new Set<LeasedRequest>();
  readonly #settled = new Set<LeasedRequest>();
  #isReporting = false;
  #isReportAsked = false;
  /** The report of the usual rhythm; one that starts earlier makes up for it. */
  #scheduled: object | undefined;
  #startedMs = -Infinity;
  #serial = 0;

  constructor(owner: number, parts: SimulationParts) {
    this.#owner = owner;
    this.#events = parts.events;
    this.#postgres = parts.postgres;
    this.#admission = new SimulatedAdmission(owner, parts);
    this.#leases = new Leases(() => `lease_${owner}_${(this.#serial += 1)}`);
  }

  send(request: SimulatedRequest): void {
    const { nowMs } = this.#events;
    const { lease, isShort } = this.#leases.take(toHoldRequest(request), nowMs);
    if (isShort) this.#reportSoon();
    if (lease === undefined) this.#admission.send(request);
    else this.#admitOnLease(request, lease);
  }

  /** Others need the money. */
  hearRecall(organization: number): void {
    if (this.#leases.suspend(`organization ${organization}`, this.#events.nowMs)) this.#reportSoon();
  }

  #admitOnLease(request: SimulatedRequest, lease: Lease): void {
    const one: LeasedRequest = {
      request,
      lease,
      openedMs: this.#events.nowMs,
      hasHold: false,
      isSettled: false,
    };
    this.#open.add(one);
    this.#schedule();
    request.onAdmitted(0, 'lease');
    this.#events.after(request.durationMs, () => {
      one.isSettled = true;
      if (!one.hasHold) this.#leases.release(lease, BigInt(request.amount), BigInt(request.cost));
      this.#open.delete(one);
      this.#settled.add(one);
      this.#schedule();
      request.onSettled();
    });
  }

  #schedule(): void {
    if (this.#scheduled !== undefined) return;
    const scheduled = {};
    this.#scheduled = scheduled;
    const sinceMs = this.#events.nowMs - this.#startedMs;
    this.#events.after(sinceMs < REPORT_EVERY_MS ? REPORT_EVERY_MS - sinceMs : REPORT_EVERY_MS, () => {
      if (this.#scheduled === scheduled) this.#reportSoon();
    });
  }

  /** One report after the other, of all that is known when it starts. */
  #reportSoon(): void {
    if (this.#isReporting) this.#isReportAsked = true;
    else {
      this.#isReporting = true;
      this.#events.after(0, () => this.#report());
    }
  }

  #report(): void {
    const { nowMs } = this.#events;
    [this.#scheduled, this.#startedMs] = [undefined, nowMs];
    for (const one of this.#open) {
      if (nowMs - one.openedMs < OPEN_MS) break;
      one.hasHold = true;
      one.lease.taken -= BigInt(one.request.amount);
      this.#open.delete(one);
      this.#opening.add(one);
    }
    const opening = [...this.#opening];
    const settled = [...this.#settled].slice(0, REPORTED_AT_ONCE);
    const isMore = this.#settled.size > settled.length;
    const leases = this.#leases.composeReports(nowMs, false);
    if (opening.length + settled.length + leases.length === 0) {
      this.#finishReport();
      return;
    }
    const steps = this.#toSteps({ opening, settled, leases });
    const effect = (): Map<string, StoredLease> => this.#runReport(steps);
    const processorMs = COSTS.leasedMs * settled.length + COSTS.stepMs * opening.length;
    this.#postgres.run({ kind: 'report', organizations: steps.keys(), processorMs, effect }, (amounts) => {
      this.#leases.apply(leases, amounts, this.#events.nowMs);
      for (const one of opening) this.#opening.delete(one);
      for (const one of settled) this.#settled.delete(one);
      for (const organization of steps.keys()) this.#admission.wake(organization);
      if (isMore) this.#isReportAsked = true;
      this.#finishReport();
    });
  }

  #finishReport(): void {
    this.#isReporting = false;
    if (this.#open.size + this.#settled.size + this.#leases.size > 0) this.#schedule();
    if (!this.#isReportAsked) return;
    this.#isReportAsked = false;
    this.#reportSoon();
  }

  /** By organization, because each has a model of its own. */
  #toSteps(report: {
    opening: readonly LeasedRequest[];
    settled: readonly LeasedRequest[];
    leases: readonly LeaseReport[];
  }): Map<number, ReportStep> {
    const steps = new Map<number, ReportStep>();
    const stepOf = (organization: number): ReportStep => {
      const known = steps.get(organization);
      if (known) return known;
      const step: ReportStep = {
        t: 'report',
        owner: this.#owner,
        leases: [],
        opened: [],
        bills: [],
        leased: [],
      };
      steps.set(organization, step);
      return step;
    };
    for (const { request, lease } of report.opening)
      stepOf(request.organization).opened.push({ id: request.id, lease: lease.id, amount: request.amount });
    for (const { request, lease, hasHold } of report.settled) {
      const bill = { id: request.id, customer: request.cost };
      const step = stepOf(request.organization);
      if (hasHold) step.bills.push(bill);
      else step.leased.push({ ...bill, lease: lease.id });
    }
    for (const { lease, keep, want, least } of report.leases)
      stepOf(Number(lease.subject.organizationId)).leases.push({
        id: lease.id,
        key: 0,
        keep: Number(keep),
        want: Number(want),
        least: Number(least),
      });
    return steps;
  }

  #runReport(steps: ReadonlyMap<number, ReportStep>): Map<string, StoredLease> {
    const amounts = new Map<string, StoredLease>();
    for (const [organization, step] of steps) {
      const answer = this.#postgres.modelOf(organization).run(step) ?? '';
      if (answer === 'failed') throw new Error(`a report failed: ${JSON.stringify(step)}`);
      const parts = answer.split(' ');
      for (let at = 0; at + 1 < parts.length; at += 2)
        amounts.set(parts[at] as string, { amount: BigInt(parts[at + 1] as string) });
    }
    return amounts;
  }
}
