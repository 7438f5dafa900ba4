import type { EventQueue } from './event-queue.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import { COSTS, type SimulatedPostgres } from './simulated-postgres.ts';

/** What the processes of a simulation share. */
export interface SimulationParts {
  events: EventQueue;
  postgres: SimulatedPostgres;
  /** Asks all processes to return leases. */
  recallAll(organization: number): void;
}

interface Waiter {
  request: SimulatedRequest;
  arrivedMs: number;
  isTrying: boolean;
  triedMs: number;
  /** It has waited long enough: its next answer counts. */
  isFinal: boolean;
  /** The database took too long: its caller has been answered. */
  isGone: boolean;
}

type Step = { settled: SimulatedRequest } | { asked: Waiter };

/** As in `admission.ts`, `batcher.ts`, `lease-messages.ts`, `maintenance-loop.ts` and `store-fault.ts`. */
const POLL_MS = 100;
const TRIED_AT_ONCE = 8;
const LARGEST_BATCH = 256;
const RECALL_EVERY_MS = 500;
const PATIENCE_MS = 10_000;
const STORE_LIMIT_MS = 1_400;
const RELEASE_MS = 1_000;

/** The requests of a simulated process that have holds of their own, or wait for one. */
export class SimulatedAdmission {
  readonly #owner: number;
  readonly #events: EventQueue;
  readonly #postgres: SimulatedPostgres;
  readonly #recallAll: (organization: number) => void;
  readonly #waiting = new Map<number, Waiter[]>();
  readonly #recalledMs = new Map<number, number>();
  #steps: Step[] = [];
  /** Holds whose callers have been answered. */
  #uncertain: SimulatedRequest[] = [];
  #isStepping = false;

  constructor(owner: number, { events, postgres, recallAll }: SimulationParts) {
    this.#owner = owner;
    this.#events = events;
    this.#postgres = postgres;
    this.#recallAll = recallAll;
  }

  send(request: SimulatedRequest): void {
    const { nowMs } = this.#events;
    const waiter = {
      request,
      arrivedMs: nowMs,
      triedMs: nowMs,
      isTrying: false,
      isFinal: false,
      isGone: false,
    };
    const queue = this.#waiting.get(request.organization);
    if (queue) queue.push(waiter);
    else this.#try(waiter);
  }

  #try(waiter: Waiter): void {
    const { nowMs } = this.#events;
    waiter.isTrying = true;
    waiter.isFinal = nowMs - waiter.arrivedMs >= PATIENCE_MS;
    const triedMs = (waiter.triedMs = nowMs);
    this.#enter({ asked: waiter });
    this.#events.after(STORE_LIMIT_MS, () => {
      if (waiter.isTrying && waiter.triedMs === triedMs) this.#giveUp(waiter);
    });
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
      for (const organization of new Set(settled.map((one) => one.organization))) this.wake(organization);
      this.#step();
    });
  }

  /** The caller is asked to retry; the hold, if there is one after all, is released. */
  #giveUp(waiter: Waiter): void {
    waiter.isGone = true;
    this.#leave(waiter);
    waiter.request.onUnavailable();
    this.wake(waiter.request.organization);
  }

  /** With the next round: all at once. */
  #release(request: SimulatedRequest): void {
    this.#uncertain.push(request);
    if (this.#uncertain.length > 1) return;
    this.#events.after(RELEASE_MS, () => {
      const released = this.#uncertain;
      this.#uncertain = [];
      const organizations = new Set(released.map(({ organization }) => organization));
      const effect = (): void => {
        for (const { id, organization } of released)
          this.#postgres.modelOf(organization).run({ t: 'release', owner: this.#owner, ids: [id] });
      };
      const processorMs = COSTS.stepMs * released.length;
      this.#postgres.run({ kind: 'step', organizations, processorMs, effect }, () => {
        for (const organization of organizations) this.wake(organization);
      });
    });
  }

  #ask({ request: { id, organization, amount }, isFinal }: Waiter): string {
    const model = this.#postgres.modelOf(organization);
    return (
      model.run({ t: 'reserve', owner: this.#owner, id, key: 0, amount, least: null, final: isFinal }) ?? ''
    );
  }

  #judge(waiter: Waiter, answer: string): void {
    const { request, arrivedMs } = waiter;
    const waitedMs = this.#events.nowMs - arrivedMs;
    waiter.isTrying = false;
    if (waiter.isGone) {
      if (answer !== 'blocked' && answer !== 'refused') this.#release(request);
      return;
    }
    const isBlocked = answer === 'blocked';
    if (isBlocked && !waiter.isFinal) {
      this.#recall(request.organization);
      this.#enqueue(waiter);
      if (waitedMs >= PATIENCE_MS) this.#try(waiter);
      return;
    }
    this.#leave(waiter);
    if (isBlocked || answer === 'refused') {
      request.onRefused(isBlocked);
      this.wake(request.organization);
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
      this.wake(organization);
      this.#poll(organization);
    });
  }

  wake(organization: number): void {
    const head = (this.#waiting.get(organization) ?? []).slice(0, TRIED_AT_ONCE);
    for (const waiter of head) if (!waiter.isTrying) this.#try(waiter);
  }
}
