import type { Mapping } from '#catalogue';
import type { Provider } from '#providers';
import type { MappingHealth, NextAttempt, ProviderBudgets, Timing } from '#routing';
import type { Metered } from '../price/meter.ts';
import { type Deadline, jitter, startDeadline, systemChance } from '#base';
import { GatewayError, findNext } from '#errors';
import { chooseNext } from '#routing';
import { noteAttempt } from './note-attempt.ts';
import { addEarlier } from './route-meter.ts';
import {
  type AttemptEnding,
  type Attempted,
  type BeginTry,
  type RouteTools,
  type Try,
  type Waiting,
} from './try-route.ts';

/** Calls for one request. */
const MOST_ATTEMPTS = 6;
/** The first event is awaited this many times as long as it usually takes at most. */
const PATIENCE = 2;
/** Without a budget for rivals, a silent mapping is left for a retry after this many times as long. */
const LAST_PATIENCE = 3;
const LEAST_LAST_PATIENCE_MS = 2_000;
/** Waits of one request, all together. */
const MOST_WAITING_MS = 5_000;
const LEAST_PATIENCE_MS = 300;
/** Limits are rounded up to this, so that there are few different ones. */
const LIMIT_STEP_MS = 100;

interface WalkOptions {
  begin: BeginTry;
  /** Absent for requests that are never sent to two providers at once. */
  waiting?: Waiting | undefined;
}

/** An attempt under way. */
interface Running {
  mapping: Mapping;
  credentialId: string | undefined;
  single: Try;
  startedMs: number;
  limitMs: number | undefined;
  limit: Deadline | undefined;
  hasBegun: boolean;
}

type Ended = Running & { ending: AttemptEnding };

/**
 * The attempts of one request, until one answers: after a failure at the next mapping, or again at the same; while a
 * provider is silent for longer than usual at the next mapping, too, and the first answer wins. After the first event
 * there is no other attempt.
 */
export class RouteWalk {
  readonly #tools: RouteTools;
  readonly #route: readonly Mapping[];
  readonly #options: WalkOptions;
  readonly #healths = new Map<Mapping, MappingHealth>();
  readonly #counts = new Map<Mapping, number>();
  readonly #repeatable = new Set<Mapping>();
  readonly #running = new Set<Running>();
  /** The meters of attempts without an answer. */
  readonly #earlier: Metered[] = [];
  readonly #budgets: ProviderBudgets;
  #attempts = 0;
  #waitedMs = 0;
  /** Whether the last mapping refused the request. */
  #isRefused = false;
  #over: (ended: Ended) => void = () => undefined;
  #fail: (thrown: unknown) => void = () => undefined;

  constructor(tools: RouteTools, route: readonly Mapping[], options: WalkOptions) {
    this.#tools = tools;
    this.#route = route.filter((mapping) => this.#findProvider(mapping) !== undefined);
    this.#options = options;
    const home = this.#route[0]?.providerId ?? '';
    this.#budgets = tools.ports.health.budgetsOf(home, tools.ports.clock.monotonicMs());
  }

  async run(): Promise<Attempted> {
    let last: Ended | undefined;
    for (let next = this.#choose(); next; next = this.#choose()) {
      if (next.waitMs > 0) await this.#wait(next.waitMs);
      if (this.#tools.trip.arrival.reply.isOver) break;
      if (next.isClosed) continue;
      if (!this.#mayCall()) break;
      if (last) this.#earlier.push(last.single.meter);
      last = await this.#race(next.mapping);
      if (!mayGoOn(last.ending)) break;
    }
    if (!last) throw this.#toRefusal();
    this.#tools.trip.note({ mapping: last.mapping });
    const isLeft = last.ending.type === 'failed' && this.#tools.trip.arrival.reply.isOver;
    const ending: AttemptEnding = isLeft ? { type: 'canceled' } : last.ending;
    return { ending, meter: addEarlier(last.single.meter, this.#earlier) };
  }

  /** The configuration may have changed since; a request admitted on one subject is never sent on another. */
  #findProvider({ providerId }: Mapping): Provider | undefined {
    const { ports, trip } = this.#tools;
    const provider = ports.live(trip.get('caller')).providers.get(providerId);
    const isOwn = provider?.credentialId !== undefined;
    return isOwn === (trip.get('credential') === 'own') ? provider : undefined;
  }

  #healthOf(mapping: Mapping): MappingHealth {
    const known = this.#healths.get(mapping);
    if (known) return known;
    const health = this.#tools.ports.health.of(mapping, this.#findProvider(mapping)?.credentialId);
    this.#healths.set(mapping, health);
    return health;
  }

  get #nowMs(): number {
    return this.#tools.ports.clock.monotonicMs();
  }

  get #isAdaptive(): boolean {
    return this.#tools.ports.live().routing.isAdaptive;
  }

  /** The next mapping, or one to wait for. */
  #choose(): NextAttempt | undefined {
    if (!this.#isAdaptive) {
      const mapping = this.#route.find((one) => !this.#counts.has(one));
      return mapping && { mapping, waitMs: 0, isClosed: false };
    }
    if (this.#attempts >= MOST_ATTEMPTS || this.#waitedMs > MOST_WAITING_MS) return undefined;
    const tried = { counts: this.#counts, repeatable: this.#repeatable, waitedMs: this.#waitedMs };
    return chooseNext(this.#route, tried, {
      nowMs: this.#nowMs,
      healthOf: (mapping) => this.#healthOf(mapping),
      jitter: (ms) => jitter(ms, systemChance),
    });
  }

  /** Whether the budget allows another call; each mapping refuses a request only once, so that those need none. */
  #mayCall(): boolean {
    if (!this.#isAdaptive || this.#attempts === 0 || this.#isRefused) return true;
    return this.#budgets.retries.spend(this.#nowMs);
  }

  /** Waits, but not for a caller that leaves. */
  #wait(ms: number): Promise<undefined> {
    const { reply } = this.#tools.trip.arrival;
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

  /** Resolves with the attempt that answers, or with the last to fail. */
  #race(first: Mapping): Promise<Ended> {
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    this.#over = resolve;
    this.#fail = reject;
    this.#start(first);
    return promise;
  }

  #start(mapping: Mapping): void {
    const provider = this.#findProvider(mapping);
    if (!provider) throw new Error('a mapping of the route has lost its provider');
    this.#attempts += 1;
    this.#counts.set(mapping, (this.#counts.get(mapping) ?? 0) + 1);
    const startedMs = this.#nowMs;
    const health = this.#healthOf(mapping);
    if (health.standingAt(startedMs) === 'due') health.probe(startedMs);
    const single = this.#options.begin(mapping, provider, {
      onBegin: () => this.#begin(running),
      onSpeed: (msPerToken) => health.measure('perToken', startedMs, msPerToken),
    });
    const { credentialId } = provider;
    const limitMs = this.#findLimit(mapping);
    const running: Running = {
      mapping,
      credentialId,
      single,
      startedMs,
      limitMs,
      limit: limitMs === undefined ? undefined : startDeadline(limitMs, () => this.#hedge(running)),
      hasBegun: false,
    };
    this.#running.add(running);
    single.run().then(
      (ending) => this.#end(running, ending),
      (thrown: unknown) => this.#break(thrown),
    );
  }

  /** How long this mapping may be silent before another is called, too. */
  #findLimit(mapping: Mapping): number | undefined {
    const { waiting } = this.#options;
    if (!waiting || this.#route.length < 2 || !this.#tools.ports.live().routing.hedges) return undefined;
    const timing = this.#findTiming(mapping, waiting);
    const usual = timing.count > 0 ? timing.high * PATIENCE : waiting.unknownMs;
    return Math.ceil(Math.max(usual, LEAST_PATIENCE_MS) / LIMIT_STEP_MS) * LIMIT_STEP_MS;
  }

  /** A mapping on trial is measured by the next one: what is known of itself is its bad times. */
  #findTiming(mapping: Mapping, { awaited }: Waiting): Timing {
    const timingOf = (one: Mapping): Timing => {
      const { firstEvent, whole } = this.#healthOf(one);
      return awaited === 'event' ? firstEvent : whole;
    };
    if (this.#healthOf(mapping).isTrusted) return timingOf(mapping);
    const other = this.#route.find((one) => one !== mapping && timingOf(one).count > 0);
    return timingOf(other ?? mapping);
  }

  /** Calls the next mapping while the others are still silent; later if there is none yet, or no budget. */
  #hedge(silent: Running): void {
    const rival = this.#findRival();
    if (rival && this.#budgets.hedges.spend(this.#nowMs)) {
      this.#startRival(rival);
      return;
    }
    const limitMs = Math.max((silent.limitMs ?? 0) * LAST_PATIENCE, LEAST_LAST_PATIENCE_MS);
    silent.limit?.stop();
    silent.limit = startDeadline(limitMs, () => this.#replace(silent));
  }

  /** The call has been silent for so long that the next one may come from the budget of retries. */
  #replace(silent: Running): void {
    const rival = this.#findRival();
    if (rival && this.#budgets.retries.spend(this.#nowMs)) this.#startRival(rival);
    else this.#hedge(silent);
  }

  #findRival(): Mapping | undefined {
    if (this.#attempts >= MOST_ATTEMPTS || this.#tools.trip.arrival.reply.isOver) return undefined;
    const nowMs = this.#nowMs;
    return this.#route.find(
      (mapping) => !this.#counts.has(mapping) && this.#healthOf(mapping).standingAt(nowMs) !== 'closed',
    );
  }

  /** Runs in a timer, where nobody catches what it throws. */
  #startRival(mapping: Mapping): void {
    try {
      this.#start(mapping);
    } catch (thrown) {
      this.#break(thrown);
    }
  }

  /** A fault of the gateway ends the request, and with it every call. */
  #break(thrown: unknown): void {
    for (const running of this.#running) {
      running.limit?.stop();
      running.single.cancel();
    }
    this.#running.clear();
    this.#fail(thrown);
  }

  /** The first to answer is the only one that goes on. */
  #begin(winner: Running): void {
    const nowMs = this.#nowMs;
    const { waiting } = this.#options;
    winner.hasBegun = true;
    winner.limit?.stop();
    this.#healthOf(winner.mapping).noteAnswer();
    if (waiting) {
      const timing = waiting.awaited === 'event' ? 'firstEvent' : 'whole';
      this.#healthOf(winner.mapping).measure(timing, winner.startedMs, nowMs - winner.startedMs);
    }
    for (const running of this.#running) {
      if (running === winner) continue;
      this.#running.delete(running);
      running.limit?.stop();
      running.single.cancel();
      this.#note(running, 'outpaced');
      this.#earlier.push(running.single.meter);
    }
  }

  #end(running: Running, ending: AttemptEnding): void {
    running.limit?.stop();
    if (!this.#running.delete(running)) return;
    this.#note(running, ending);
    this.#isRefused = ending.type === 'failed' && ending.failure.kind === 'request-refused';
    if (ending.type === 'failed' && findNext(ending.failure) === 'repeat')
      this.#repeatable.add(running.mapping);
    if (this.#running.size === 0) {
      this.#over({ ...running, ending });
      return;
    }
    this.#earlier.push(running.single.meter);
    const [silent] = this.#running;
    if (silent && !silent.hasBegun && mayGoOn(ending)) this.#hedge(silent);
  }

  #note(running: Running, ending: AttemptEnding | 'outpaced'): void {
    noteAttempt(this.#tools, { ...running, ending, status: running.single.status });
  }

  /** Why nobody was called. */
  #toRefusal(): GatewayError {
    const { trip } = this.#tools;
    if (trip.arrival.reply.isOver)
      return new GatewayError('client_closed', 'the client disconnected before a provider was called');
    if (this.#route.length === 0)
      return new GatewayError(
        'provider_not_configured',
        'the providers of this model are no longer configured',
      );
    const untilMs = Math.min(...this.#route.map((mapping) => this.#healthOf(mapping).pausedUntilMs));
    const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - this.#nowMs) / 1_000));
    const whom = this.#route.length === 1 ? 'the provider' : 'every provider';
    return new GatewayError(
      'upstream_overloaded',
      `${whom} of this model fails or asks to be called later; retry in ${retryAfterSeconds} s`,
      { retryAfterSeconds },
    );
  }
}

function mayGoOn(ending: AttemptEnding): boolean {
  if (ending.type === 'unsayable') return true;
  return ending.type === 'failed' && findNext(ending.failure) !== 'stop';
}
