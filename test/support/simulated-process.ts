import { Leases, type Lease, type LeaseReport, type LeaseState } from '../../src/accounts/ledger/leases.ts';
import type { EventQueue } from './event-queue.ts';
import type { ReportStep } from './ledger-steps.ts';
import { type SimulatedRequest, toHoldRequest } from './simulated-request.ts';
import { COSTS, type SimulatedPostgres } from './simulated-postgres.ts';

interface LeasedRequest {
  request: SimulatedRequest;
  lease: Lease;
  openedMs: number;
  hasHold: boolean;
  isSettled: boolean;
}

interface Waiter {
  request: SimulatedRequest;
  arrivedMs: number;
  isTrying: boolean;
}

type Step = { settled: SimulatedRequest } | { asked: Waiter };

/** As in `leased-requests.ts`, `report-queue.ts`, `admission.ts`, `batcher.ts` and `running-ledger.ts`. */
const REPORT_MS = 100;
const OPEN_MS = 100;
const REPORTED_AT_ONCE = 500;
const POLL_MS = 100;
const TRIED_AT_ONCE = 8;
const LARGEST_BATCH = 256;
const RECALL_EVERY_MS = 500;
const PATIENCE_MS = 10_000;

/**
 * A process of a simulation. When it takes, enlarges and returns leases is decided by the ledger's own code; sending
 * and waiting are rewritten for simulated time.
 */
export class SimulatedProcess {
  readonly #owner: number;
  readonly #events: EventQueue;
  readonly #postgres: SimulatedPostgres;
  /** Asks all processes to return leases. */
  readonly #recallAll: (organization: number) => void;
  readonly #leases: Leases;
  readonly #open = new Set<LeasedRequest>();
  readonly #opening = new Set<LeasedRequest>();
  readonly #settled = new Set<LeasedRequest>();
  readonly #waiting = new Map<number, Waiter[]>();
  readonly #recalledMs = new Map<number, number>();
  #steps: Step[] = [];
  #isStepping = false;
  #isReporting = false;
  #isReportAsked = false;
  #isScheduled = false;
  #serial = 0;

  constructor(
    owner: number,
    parts: { events: EventQueue; postgres: SimulatedPostgres; recallAll(organization: number): void },
  ) {
    this.#owner = owner;
    this.#events = parts.events;
    this.#postgres = parts.postgres;
    this.#recallAll = parts.recallAll;
    this.#leases = new Leases(() => `lease_${owner}_${(this.#serial += 1)}`);
  }

  send(request: SimulatedRequest): void {
    const { nowMs } = this.#events;
    const { lease, isShort } = this.#leases.take(toHoldRequest(request), nowMs);
    if (isShort) this.#reportSoon();
    if (lease === undefined) this.#arrive({ request, arrivedMs: nowMs, isTrying: false });
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
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#events.after(REPORT_MS, () => {
      this.#isScheduled = false;
      this.#reportSoon();
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
    const leases = this.#leases.report(nowMs, false);
    if (opening.length + settled.length + leases.length === 0) {
      this.#finishReport();
      return;
    }
    const steps = this.#toSteps({ opening, settled, leases });
    const effect = (): Map<string, LeaseState> => this.#runReport(steps);
    const processorMs = COSTS.leasedMs * settled.length + COSTS.stepMs * opening.length;
    this.#postgres.run({ kind: 'report', organizations: steps.keys(), processorMs, effect }, (amounts) => {
      this.#leases.apply(leases, amounts, this.#events.nowMs);
      for (const one of opening) this.#opening.delete(one);
      for (const one of settled) this.#settled.delete(one);
      for (const organization of steps.keys()) this.#wake(organization);
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

  #runReport(steps: ReadonlyMap<number, ReportStep>): Map<string, LeaseState> {
    const amounts = new Map<string, LeaseState>();
    for (const [organization, step] of steps) {
      const answer = this.#postgres.modelOf(organization).run(step) ?? '';
      if (answer === 'failed') throw new Error(`a report failed: ${JSON.stringify(step)}`);
      const parts = answer.split(' ');
      for (let at = 0; at + 1 < parts.length; at += 2)
        amounts.set(parts[at] as string, { amount: BigInt(parts[at + 1] as string) });
    }
    return amounts;
  }

  #arrive(waiter: Waiter): void {
    const queue = this.#waiting.get(waiter.request.organization);
    if (queue) queue.push(waiter);
    else this.#try(waiter);
  }

  #try(waiter: Waiter): void {
    waiter.isTrying = true;
    this.#enter({ asked: waiter });
  }

  #enter(step: Step): void {
    this.#steps.push(step);
    if (this.#isStepping) return;
    this.#isStepping = true;
    this.#events.after(0, () => this.#step());
  }

  #step(): void {
    const batch = this.#steps.splice(0, LARGEST_BATCH);
    if (batch.length === 0) {
      this.#isStepping = false;
      return;
    }
    const settled = batch.flatMap((step) => ('settled' in step ? [step.settled] : []));
    const asked = batch.flatMap((step) => ('asked' in step ? [step.asked] : []));
    const organizations = new Set(
      [...settled, ...asked.map(({ request }) => request)].map((one) => one.organization),
    );
    const effect = (): string[] => {
      for (const { id, organization, cost } of settled)
        this.#postgres
          .modelOf(organization)
          .run({ t: 'settle', owner: this.#owner, settlements: [{ id, key: 0, customer: cost }] });
      return asked.map((waiter) => this.#ask(waiter));
    };
    const statement = {
      kind: 'step',
      organizations,
      processorMs: COSTS.stepMs * batch.length,
      effect,
    } as const;
    this.#postgres.run(statement, (answers) => {
      for (const [at, waiter] of asked.entries()) this.#judge(waiter, answers[at] ?? '');
      for (const request of settled) request.onSettled();
      for (const organization of new Set(settled.map((one) => one.organization))) this.#wake(organization);
      this.#step();
    });
  }

  #ask({ request: { id, organization, amount }, arrivedMs }: Waiter): string {
    const final = this.#events.nowMs - arrivedMs >= PATIENCE_MS;
    const model = this.#postgres.modelOf(organization);
    return model.run({ t: 'reserve', owner: this.#owner, id, key: 0, amount, least: null, final }) ?? '';
  }

  #judge(waiter: Waiter, answer: string): void {
    const { request, arrivedMs } = waiter;
    const waitedMs = this.#events.nowMs - arrivedMs;
    waiter.isTrying = false;
    const isBlocked = answer === 'blocked';
    if (isBlocked && waitedMs < PATIENCE_MS) {
      this.#recall(request.organization);
      this.#enqueue(waiter);
      return;
    }
    this.#leave(waiter);
    if (isBlocked || answer === 'refused') {
      request.onRefused(isBlocked);
      this.#wake(request.organization);
      return;
    }
    request.onAdmitted(waitedMs, 'step');
    this.#events.after(request.durationMs, () => this.#enter({ settled: request }));
  }

  #recall(organization: number): void {
    const { nowMs } = this.#events;
    if (nowMs - (this.#recalledMs.get(organization) ?? -Infinity) < RECALL_EVERY_MS) return;
    this.#recalledMs.set(organization, nowMs);
    this.#recallAll(organization);
  }

  #enqueue(waiter: Waiter): void {
    const { organization } = waiter.request;
    const queue = this.#waiting.get(organization);
    if (queue?.includes(waiter) === true) return;
    if (queue) queue.unshift(waiter);
    else {
      this.#waiting.set(organization, [waiter]);
      this.#poll(organization);
    }
  }

  #leave(waiter: Waiter): void {
    const { organization } = waiter.request;
    const queue = this.#waiting.get(organization);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue && at >= 0) queue.splice(at, 1);
    if (queue?.length === 0) this.#waiting.delete(organization);
  }

  #poll(organization: number): void {
    this.#events.after(POLL_MS, () => {
      if (!this.#waiting.has(organization)) return;
      this.#wake(organization);
      this.#poll(organization);
    });
  }

  #wake(organization: number): void {
    const head = (this.#waiting.get(organization) ?? []).slice(0, TRIED_AT_ONCE);
    for (const waiter of head) if (!waiter.isTrying) this.#try(waiter);
  }
}
