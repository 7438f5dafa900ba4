import { LedgerModel } from './ledger-model.ts';
import type { ReportStep, Step } from './ledger-steps.ts';
import type { Limits } from './schedule.ts';

/** A request that a report gave a hold of its own. */
export interface OpenedRequest {
  id: string;
  key: number;
}

type Random = () => number;
const upTo = (random: Random, most: number): number => Math.floor(random() * most);

const MOST_WANTED = 200;
const MOST_LEAST = 30;

/** Chooses what the processes of a schedule report of their leases. It knows what they have from a model of its own. */
export class LeaseWork {
  readonly #random: Random;
  readonly #model: LedgerModel;
  readonly #keys: number;
  readonly #leases = new Map<string, string>();
  readonly #opened = new Map<number, OpenedRequest[]>();
  #serial = 0;

  constructor(random: Random, { keyLimits, organizationLimit, renewals }: Limits) {
    this.#random = random;
    this.#keys = keyLimits.length;
    this.#model = new LedgerModel(keyLimits, organizationLimit, { renewals });
  }

  /** A step has been chosen. */
  record(step: Step): void {
    this.#model.run(step);
  }

  /** A request of this process with a hold of its own, open or not. */
  findOpened(owner: number): OpenedRequest | undefined {
    const opened = this.#opened.get(owner) ?? [];
    return opened[upTo(this.#random, opened.length)];
  }

  choose(owner: number): ReportStep {
    const step: ReportStep = { t: 'report', owner, leases: [], opened: [], bills: [], leased: [] };
    for (let key = 0; key < this.#keys; key += 1) if (this.#random() < 0.7) this.#addLease(step, key);
    for (const { id } of this.#opened.get(owner) ?? [])
      if (this.#model.amountOf(id) !== undefined && this.#random() < 0.3)
        step.bills.push({ id, customer: upTo(this.#random, MOST_WANTED) });
    const last = step.opened.at(-1);
    // It opened and ended between two reports.
    if (last && this.#random() < 0.2)
      step.bills.push({ id: last.id, customer: upTo(this.#random, last.amount + 1) });
    return step;
  }

  /** A request that ended on a lease and is recorded only in the journal. */
  chooseUnreported(owner: number): Extract<Step, { t: 'settle' }> | undefined {
    const key = upTo(this.#random, this.#keys);
    const lease = this.#leases.get(`${owner} ${key}`);
    if (lease === undefined) return undefined;
    const id = `l${(this.#serial += 1)}`;
    return {
      t: 'settle',
      owner,
      settlements: [{ id, key, customer: upTo(this.#random, MOST_LEAST), lease }],
    };
  }

  #addLease(step: ReportStep, key: number): void {
    const random = this.#random;
    const { owner } = step;
    const id = this.#findLease(owner, key);
    let rest = this.#model.amountOf(id) ?? (random() < 0.05 ? MOST_LEAST : 0);
    while (rest > 0 && random() < 0.5) {
      const amount = 1 + upTo(random, rest);
      rest -= amount;
      const request = `l${(this.#serial += 1)}`;
      if (random() < 0.5) step.leased.push({ id: request, lease: id, customer: upTo(random, amount + 1) });
      else {
        step.opened.push({ id: request, lease: id, amount });
        this.#opened.set(owner, [...(this.#opened.get(owner) ?? []), { id: request, key }]);
      }
    }
    const keep = random() < 0.3 ? rest : upTo(random, rest + 1);
    const want = random() < 0.6 ? 1 + upTo(random, MOST_WANTED) : 0;
    step.leases.push({ id, key, keep, want, least: upTo(random, MOST_LEAST) });
  }

  /** Usually a lease that exists; often a new one where the last one is gone. */
  #findLease(owner: number, key: number): string {
    const place = `${owner} ${key}`;
    const known = this.#leases.get(place);
    if (known !== undefined && (this.#model.amountOf(known) !== undefined || this.#random() < 0.3))
      return known;
    const id = `e${(this.#serial += 1)}`;
    this.#leases.set(place, id);
    return id;
  }
}
