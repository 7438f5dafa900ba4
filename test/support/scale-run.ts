import { EventQueue } from './event-queue.ts';
import { LedgerModel } from './ledger-model.ts';
import { createSeededRandom } from './seeded-random.ts';
import { COSTS, SimulatedPostgres } from './simulated-postgres.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { SimulatedRequest } from './simulated-request.ts';
import { toPercentiles } from './percentiles.ts';

/** Requests that arrive at processes, and the budgets that pay for them. */
export interface Scenario {
  processes: number;
  /** Processes that are heard of but serve nothing. */
  idleProcesses?: number;
  limit: number;
  amount: number;
  /** Of the next request. */
  chooseCost(random: () => number): number;
  chooseDurationMs(random: () => number): number;
  chooseOrganization(process: number, random: () => number): number;
  /** Requests arrive at random at this rate at each process; or this many clients send one after the other. */
  arrivals: { perSecond: number } | { clients: number };
  /** Nothing arrives after that, or after the first refusal. */
  untilMs: number;
  /** Steady figures are taken from here on, until the end of the budget comes near. */
  steadyFromMs: number;
}

interface Window {
  fromMs: number;
  toMs: number;
  requests: number;
  onLease: number;
  reports: number;
  steps: number;
  processorMs: number;
}

export interface ScaleFigures {
  served: number;
  refused: number;
  /** Answered with 503, because the database took too long. */
  unavailable: number;
  /** Refused although what was neither spent nor held by requests could pay it. */
  affordable: number;
  overspent: number;
  steady: Window;
  /** Waits for a hold, all requests. */
  waitMs: { p50: number; p99: number; longest: number };
  longestLockWaitMs: number;
  recalls: number;
  /** From the first recall to the last request that was served. */
  lastCentMs: number;
  statements: { report: number; step: number; notify: number };
  onLease: number;
  endMs: number;
}

/** Long enough for everything to end. */
const REST_MS = 30_000;

export function simulate(scenario: Scenario, seed: number): ScaleFigures {
  return new Simulation(scenario, seed).run();
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #random: () => number;
  readonly #events = new EventQueue();
  readonly #postgres: SimulatedPostgres;
  readonly #processes: SimulatedProcess[];
  /** Spent or held by requests, by organization. */
  readonly #taken = new Map<number, number>();
  readonly #waits: number[] = [];
  readonly #steady: Window;
  #before = { reports: 0, steps: 0, processorMs: 0 };
  #isEnding = false;
  #served = 0;
  #onLease = 0;
  #refused = 0;
  #unavailable = 0;
  #affordable = 0;
  #recalls = 0;
  #firstRecallMs: number | undefined;
  #lastServedMs = 0;
  #serial = 0;

  constructor(scenario: Scenario, seed: number) {
    this.#scenario = scenario;
    this.#random = createSeededRandom(seed);
    const { processes, idleProcesses = 0, limit, steadyFromMs } = scenario;
    const living = new Set(Array.from({ length: processes + idleProcesses }, (_, owner) => owner));
    this.#postgres = new SimulatedPostgres(this.#events, () => new LedgerModel([null], limit, { living }));
    this.#processes = Array.from({ length: processes }, (_, owner) => this.#createProcess(owner));
    this.#steady = {
      fromMs: steadyFromMs,
      toMs: 0,
      requests: 0,
      onLease: 0,
      reports: 0,
      steps: 0,
      processorMs: 0,
    };
  }

  run(): ScaleFigures {
    const { arrivals, processes, steadyFromMs, untilMs } = this.#scenario;
    for (let process = 0; process < processes; process += 1)
      if ('clients' in arrivals)
        for (let client = 0; client < arrivals.clients; client += 1) this.#send(process);
      else this.#arriveLater(process, arrivals.perSecond);
    this.#events.after(steadyFromMs, () => (this.#before = this.#readPostgres()));
    this.#events.after(untilMs, () => {
      this.#endSteady();
      this.#isEnding = true;
    });
    this.#events.runUntil(untilMs + REST_MS);
    this.#checkEnd();
    const { statements, longestLockWaitMs } = this.#postgres.figures;
    return {
      served: this.#served,
      refused: this.#refused,
      unavailable: this.#unavailable,
      affordable: this.#affordable,
      overspent: [...this.#taken.values()].filter((taken) => taken > this.#scenario.limit).length,
      steady: this.#steady,
      waitMs: toPercentiles(this.#waits),
      longestLockWaitMs,
      recalls: this.#recalls,
      lastCentMs: this.#firstRecallMs === undefined ? 0 : this.#lastServedMs - this.#firstRecallMs,
      statements,
      onLease: this.#onLease,
      endMs: this.#lastServedMs,
    };
  }

  #createProcess(owner: number): SimulatedProcess {
    const recallAll = (organization: number): void => {
      this.#endSteady();
      this.#recalls += 1;
      this.#firstRecallMs ??= this.#events.nowMs;
      const processorMs = COSTS.notifyMs * this.#processes.length;
      this.#postgres.run({ kind: 'notify', organizations: [], processorMs, effect: () => undefined }, () => {
        for (const process of this.#processes) process.hearRecall(organization);
      });
    };
    return new SimulatedProcess(owner, { events: this.#events, postgres: this.#postgres, recallAll });
  }

  #arriveLater(process: number, perSecond: number): void {
    const afterMs = (-Math.log(1 - this.#random()) * 1_000) / perSecond;
    this.#events.after(afterMs, () => {
      if (this.#isEnding) return;
      this.#send(process);
      this.#arriveLater(process, perSecond);
    });
  }

  #send(process: number): void {
    const { amount, limit, arrivals, chooseCost, chooseDurationMs, chooseOrganization } = this.#scenario;
    const organization = chooseOrganization(process, this.#random);
    const cost = chooseCost(this.#random);
    const take = (more: number): void => {
      this.#taken.set(organization, (this.#taken.get(organization) ?? 0) + more);
    };
    const request: SimulatedRequest = {
      id: `r${(this.#serial += 1)}`,
      organization,
      amount,
      cost,
      durationMs: chooseDurationMs(this.#random),
      onAdmitted: (waitedMs, how) => {
        take(amount);
        this.#recordAdmitted(waitedMs, how);
      },
      onSettled: () => {
        take(cost - amount);
        if ('clients' in arrivals && !this.#isEnding) this.#send(process);
      },
      onUnavailable: () => {
        this.#unavailable += 1;
        if ('clients' in arrivals && !this.#isEnding) this.#send(process);
      },
      onRefused: () => {
        this.#refused += 1;
        if (limit - (this.#taken.get(organization) ?? 0) >= amount) this.#affordable += 1;
        if ('perSecond' in arrivals) this.#isEnding = true;
      },
    };
    this.#processes[process]?.send(request);
  }

  #recordAdmitted(waitedMs: number, how: 'lease' | 'step'): void {
    this.#served += 1;
    this.#lastServedMs = this.#events.nowMs;
    this.#waits.push(waitedMs);
    const steady = this.#steady;
    const isSteady = this.#events.nowMs >= steady.fromMs && steady.toMs === 0;
    if (isSteady) steady.requests += 1;
    if (how === 'step') return;
    this.#onLease += 1;
    if (isSteady) steady.onLease += 1;
  }

  #endSteady(): void {
    const steady = this.#steady;
    if (steady.toMs > 0 || this.#events.nowMs <= steady.fromMs) return;
    const now = this.#readPostgres();
    steady.toMs = this.#events.nowMs;
    steady.reports = now.reports - this.#before.reports;
    steady.steps = now.steps - this.#before.steps;
    steady.processorMs = now.processorMs - this.#before.processorMs;
  }

  #readPostgres(): { reports: number; steps: number; processorMs: number } {
    const { statements, processorMs } = this.#postgres.figures;
    return { reports: statements.report, steps: statements.step, processorMs };
  }

  /** All money is where it belongs once nothing runs any more. */
  #checkEnd(): void {
    for (const [organization, taken] of this.#taken) {
      const { used, held } = this.#postgres.modelOf(organization).organization;
      if (held !== 0) throw new Error(`${held} is held of organization ${organization} at the end`);
      if (used !== taken)
        throw new Error(`${used} is used of organization ${organization}, which spent ${taken}`);
    }
  }
}
