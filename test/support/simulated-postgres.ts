import type { EventQueue } from './event-queue.ts';
import type { LedgerModel } from './ledger-model.ts';

/** What statements cost: the first three follow from `bench/ledger.ts`, the others are assumptions. */
export const COSTS = {
  /** Of PostgreSQL's processor: a statement with its transaction, a request reported on a lease, a hold or a settlement. */
  statementMs: 0.5,
  leasedMs: 0.025,
  stepMs: 0.02,
  /** To wake one process by `NOTIFY`. */
  notifyMs: 0.01,
  /** Until a commit is on disk; the locks are kept meanwhile. */
  syncMs: 1,
  /** There and back. */
  networkMs: 0.5,
};

type StatementKind = 'report' | 'step' | 'notify';

interface PostgresFigures {
  statements: Record<StatementKind, number>;
  processorMs: number;
  /** How long statements waited for the locks of organizations. */
  lockWaitMs: number;
  longestLockWaitMs: number;
}

/** The ledger's model behind statements that take time and lock the organizations they change. */
export class SimulatedPostgres {
  readonly #events: EventQueue;
  readonly #createModel: (organization: number) => LedgerModel;
  readonly #models = new Map<number, LedgerModel>();
  readonly #lockedUntilMs = new Map<number, number>();
  readonly figures: PostgresFigures = {
    statements: { report: 0, step: 0, notify: 0 },
    processorMs: 0,
    lockWaitMs: 0,
    longestLockWaitMs: 0,
  };

  constructor(events: EventQueue, createModel: (organization: number) => LedgerModel) {
    this.#events = events;
    this.#createModel = createModel;
  }

  modelOf(organization: number): LedgerModel {
    let model = this.#models.get(organization);
    if (model === undefined) {
      model = this.#createModel(organization);
      this.#models.set(organization, model);
    }
    return model;
  }

  /** Locks are granted in the order in which they are asked for, so a statement takes effect in that order, too. */
  run<Answer>(
    statement: {
      kind: StatementKind;
      organizations: Iterable<number>;
      processorMs: number;
      effect(): Answer;
    },
    done: (answer: Answer) => void,
  ): void {
    const { kind, processorMs, effect } = statement;
    const { figures } = this;
    const arrivedMs = this.#events.nowMs + COSTS.networkMs / 2;
    const organizations = [...statement.organizations];
    let startedMs = arrivedMs;
    for (const one of organizations) startedMs = Math.max(startedMs, this.#lockedUntilMs.get(one) ?? 0);
    const endMs = startedMs + COSTS.statementMs + processorMs + COSTS.syncMs;
    for (const one of organizations) this.#lockedUntilMs.set(one, endMs);
    figures.statements[kind] += 1;
    figures.processorMs += COSTS.statementMs + processorMs;
    figures.lockWaitMs += startedMs - arrivedMs;
    figures.longestLockWaitMs = Math.max(figures.longestLockWaitMs, startedMs - arrivedMs);
    const answer = effect();
    this.#events.after(endMs + COSTS.networkMs / 2 - this.#events.nowMs, () => done(answer));
  }
}
