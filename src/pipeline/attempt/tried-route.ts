import type { Mapping } from '#catalogue';
import type { Metered } from '../price/meter.ts';
import type { Provider } from '#providers';
import type { MappingHealth, NextAttempt, ProviderBudgets } from '#routing';
import type { RouteTools } from './try-route.ts';
import { jitter, systemChance } from '#base';
import { chooseNext } from '#routing';

/** Calls for one request. */
const MOST_ATTEMPTS = 6;
/** Waits of one request, all together. */
const MOST_WAITING_MS = 5_000;

/** The mappings of one request, and what it has tried of them. */
export class TriedRoute {
  readonly tools: RouteTools;
  readonly mappings: readonly Mapping[];
  readonly budgets: ProviderBudgets;
  /** The meters of attempts without an answer. */
  readonly earlier: Metered[] = [];
  readonly #healths = new Map<Mapping, MappingHealth>();
  readonly #counts = new Map<Mapping, number>();
  readonly #repeatable = new Set<Mapping>();
  #attempts = 0;
  #waitedMs = 0;

  constructor(tools: RouteTools, route: readonly Mapping[]) {
    this.tools = tools;
    this.mappings = route.filter((mapping) => this.findProvider(mapping) !== undefined);
    const home = this.mappings[0]?.providerId ?? '';
    this.budgets = tools.ports.health.budgetsOf(home, this.nowMs);
  }

  get nowMs(): number {
    return this.tools.ports.clock.monotonicMs();
  }

  get isAdaptive(): boolean {
    return this.tools.ports.live().routing.isAdaptive;
  }

  /** Whether the caller has left. */
  get isLeft(): boolean {
    return this.tools.trip.arrival.reply.isOver;
  }

  /** The configuration may have changed since; a request admitted on one subject is never sent on another. */
  findProvider({ providerId }: Mapping): Provider | undefined {
    const { ports, trip } = this.tools;
    const provider = ports.live(trip.get('caller')).providers.get(providerId);
    const isOwn = provider?.credentialId !== undefined;
    return isOwn === (trip.get('credential') === 'own') ? provider : undefined;
  }

  healthOf(mapping: Mapping): MappingHealth {
    const known = this.#healths.get(mapping);
    if (known) return known;
    const health = this.tools.ports.health.of(mapping, this.findProvider(mapping)?.credentialId);
    this.#healths.set(mapping, health);
    return health;
  }

  /** The next mapping, or one to wait for. */
  choose(): NextAttempt | undefined {
    if (!this.isAdaptive) {
      const mapping = this.mappings.find((one) => !this.#counts.has(one));
      return mapping && { mapping, waitMs: 0, isClosed: false };
    }
    if (this.#attempts >= MOST_ATTEMPTS || this.#waitedMs > MOST_WAITING_MS) return undefined;
    const tried = { counts: this.#counts, repeatable: this.#repeatable, waitedMs: this.#waitedMs };
    return chooseNext(this.mappings, tried, {
      nowMs: this.nowMs,
      healthOf: (mapping) => this.healthOf(mapping),
      jitter: (ms) => jitter(ms, systemChance),
    });
  }

  /** A mapping that may be called beside those that are silent. */
  findRival(): Mapping | undefined {
    if (this.#attempts >= MOST_ATTEMPTS || this.isLeft) return undefined;
    const { nowMs } = this;
    return this.mappings.find(
      (mapping) => !this.#counts.has(mapping) && this.healthOf(mapping).standingAt(nowMs) !== 'closed',
    );
  }

  countCall(mapping: Mapping): void {
    this.#attempts += 1;
    this.#counts.set(mapping, (this.#counts.get(mapping) ?? 0) + 1);
  }

  /** The mapping may be called again: its failure is not the request's fault. */
  allowRepeat(mapping: Mapping): void {
    this.#repeatable.add(mapping);
  }

  /** Waits, but not for a caller that leaves. */
  wait(ms: number): Promise<undefined> {
    const { reply } = this.tools.trip.arrival;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const leave = (): void => resolve(undefined);
    const timer = setTimeout(leave, ms);
    this.#waitedMs += ms;
    reply.onGone(leave);
    return promise.finally(() => {
      clearTimeout(timer);
      reply.offGone(leave);
    });
  }
}
