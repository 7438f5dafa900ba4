import type { Mapping } from '#catalogue';
import { Budget } from './budget.ts';
import { MappingHealth } from './mapping-health.ts';

const MOST_ENTRIES = 10_000;
const RETRIES = { share: 0.65, reserve: 20, perSecond: 0.5 };
const HEDGES = { share: 0.1, reserve: 15, perSecond: 0.1 };
const EXPLORATIONS = { share: 0.05, reserve: 1, perSecond: 0 };

/** The extra calls allowed to requests whose first choice is one provider. */
export class ProviderBudgets {
  /** Calls after a failure, at this provider or another. */
  readonly retries: Budget;
  /** Second calls while the first is still silent. */
  readonly hedges: Budget;
  /** Requests that begin elsewhere, to learn how fast it is there. */
  readonly explorations: Budget;

  constructor(nowMs: number) {
    this.retries = new Budget(RETRIES, nowMs);
    this.hedges = new Budget(HEDGES, nowMs);
    this.explorations = new Budget(EXPLORATIONS, nowMs);
  }

  /** Adds the shares of one first call, and keeps them until it leaves. */
  enter(): void {
    this.retries.enter();
    this.hedges.enter();
  }

  /** A first call that entered has its answer, or gets none. */
  leave(): void {
    this.retries.leave();
    this.hedges.leave();
  }
}

/** What this process knows of the mappings from its own requests. */
export class HealthRegistry {
  readonly #mappings = new Map<string, MappingHealth>();
  readonly #budgets = new Map<string, ProviderBudgets>();

  /** The health of a mapping with a credential, because one may fail where another works. */
  of(mapping: Pick<Mapping, 'providerId' | 'externalId'>, credentialId = ''): MappingHealth {
    return this.named(toHealthName(mapping, credentialId));
  }

  /** The same by its name. */
  named(name: string): MappingHealth {
    return findOrAdd(this.#mappings, name, () => new MappingHealth());
  }

  /** Every mapping that was called or reported, by name. */
  get all(): Iterable<[name: string, health: MappingHealth]> {
    return this.#mappings;
  }

  /**
   * Those called with the gateway's own credentials; the failures of an organization's key concern only that
   * organization.
   */
  get ofGateway(): Iterable<[name: string, health: MappingHealth]> {
    return [...this.#mappings].filter(([name]) => !IS_OWN.test(name));
  }

  /** The budgets for requests whose first choice is this provider; `owner` is an organization that calls it with its own key. */
  budgetsOf(providerId: string, nowMs: number, owner?: string): ProviderBudgets {
    const name = owner === undefined ? providerId : `${providerId} ${owner}`;
    return findOrAdd(this.#budgets, name, () => new ProviderBudgets(nowMs));
  }
}

/** Names a mapping with a credential. */
export function toHealthName(
  { providerId, externalId }: Pick<Mapping, 'providerId' | 'externalId'>,
  credentialId = '',
): string {
  return `${providerId}/${externalId}@${credentialId}`;
}

/** The id of an organization's key or custom provider. */
const IS_OWN = /@(?:pkey|cprov)_[^@]*$/;
const HEALTH_NAME = /^([^/]+)\/(.*)@(.*)$/s;

export function parseHealthName(
  name: string,
): { providerId: string; model: string; credential: string } | undefined {
  const [, providerId, model = '', credential = ''] = HEALTH_NAME.exec(name) ?? [];
  return providerId === undefined ? undefined : { providerId, model, credential };
}

/**
 * Evicts the entries that no request has considered for the longest time: requests for many models must not fill the
 * memory, nor displace mappings that are called.
 */
function findOrAdd<Value>(entries: Map<string, Value>, key: string, create: () => Value): Value {
  const found = entries.get(key);
  if (found !== undefined) {
    if (entries.size < MOST_ENTRIES) return found;
    entries.delete(key);
    entries.set(key, found);
    return found;
  }
  if (entries.size >= MOST_ENTRIES) entries.delete(entries.keys().next().value ?? '');
  const created = create();
  entries.set(key, created);
  return created;
}
