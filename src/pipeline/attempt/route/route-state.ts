import type { Mapping } from '#catalogue';
import type { MeteredUsage } from '../../price/meter.ts';
import type { Provider } from '#providers';
import type { UpstreamFailure } from '#errors';
import type { NextAttempt, ProviderBudgets, AttemptReason } from '#routing';
import type { RouteTools } from '../attempt-types.ts';
import { jitter } from '#base';
import { concernsCredential, findNext } from '#errors';
import { chooseNext } from '#routing';
import { findBudgets } from '../find-budgets.ts';
import { type Candidate, findProvider, listCandidates } from '../candidate.ts';
import { type Entry, type LimitedCandidate, RouteCapacity, isLimited } from './route-capacity.ts';
import { waitWhileConnected } from '../../request/while-connected.ts';

/** Calls for one request. */
const MOST_ATTEMPTS = 6;
/** Waits of one request, all together. */
const MOST_WAITING_MS = 10_000;

/** The candidates of one request, and the calls it has tried. */
export class RouteState {
  readonly tools: RouteTools;
  readonly budgets: ProviderBudgets;
  /** The meters of attempts without an answer. */
  readonly earlier: MeteredUsage[] = [];
  #candidates: readonly Candidate[];
  readonly #counts = new Map<Candidate, number>();
  readonly #repeatable = new Set<Candidate>();
  /** Absent until a limited candidate is to be called. */
  #capacity: RouteCapacity | undefined;
  #attempts = 0;
  /** Whether its shares of the budgets are kept. */
  #isWaiting: boolean;
  #waitedMs = 0;
  /** The part of it since the last call. */
  #waitedNowMs = 0;

  constructor(tools: RouteTools, route: readonly Mapping[]) {
    this.tools = tools;
    this.#candidates = listCandidates(tools, route);
    const home = this.#candidates[0]?.mapping.providerId ?? '';
    this.budgets = findBudgets(tools, home);
    // Each of several choices has a first call of its own; the rest of a cut answer is an extra one.
    this.#isWaiting = !tools.isContinued;
    if (this.#isWaiting) this.budgets.enter();
  }

  /** The answer has begun, or none comes. */
  endWait(): void {
    if (this.#isWaiting) this.budgets.leave();
    this.#isWaiting = false;
  }

  get nowMs(): number {
    return this.tools.ports.clock.monotonicMs();
  }

  get isAdaptive(): boolean {
    return this.tools.ports.live().routing.isAdaptive;
  }

  /** Whether the caller has disconnected. */
  get isLeft(): boolean {
    return this.tools.trip.arrival.reply.isOver;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates;
  }

  findProvider(candidate: Candidate): Provider | undefined {
    return findProvider(this.tools, candidate);
  }

  /** The next candidate, or one to wait for. */
  choose(): NextAttempt<Candidate> | undefined {
    if (!this.isAdaptive) {
      const candidate = this.#open.find((one) => !this.#counts.has(one));
      return candidate && { candidate, waitMs: 0, isClosed: false };
    }
    if (this.#attempts >= MOST_ATTEMPTS || this.#waitedMs > MOST_WAITING_MS) return undefined;
    const tried = {
      counts: this.#counts,
      repeatable: this.#repeatable,
      waitedMs: this.#waitedMs,
      waitedNowMs: this.#waitedNowMs,
    };
    return chooseNext(this.#open, tried, {
      nowMs: this.nowMs,
      healthOf: ({ health }) => health,
      jitter: (ms) => jitter(ms, this.tools.ports.random),
    });
  }

  /** A candidate that may be called alongside those that are silent: another provider rather than another credential. */
  findRival(silent: Candidate): Candidate | undefined {
    if (this.#attempts >= MOST_ATTEMPTS || this.isLeft) return undefined;
    const rivals = this.#open.filter(
      (candidate) => !this.#counts.has(candidate) && !this.isClosed(candidate),
    );
    return rivals.find(({ mapping }) => mapping !== silent.mapping) ?? rivals[0];
  }

  /** Why a candidate is called now. */
  explain(candidate: Candidate, isRival: boolean): AttemptReason {
    if (isRival) return 'rival';
    if (this.#counts.has(candidate)) return 'retry';
    const { mapping } = candidate;
    const { choice } = this.tools.trip.facts;
    if (this.#attempts === 0 && this.tools.isContinued) return 'continued';
    if (this.#attempts === 0 && choice?.mapping === mapping) return choice.reason;
    if ([...this.#counts.keys()].some((tried) => tried.mapping === mapping)) return 'credential';
    if (choice && choice.mapping.modelId !== mapping.modelId) return 'fallback-model';
    return this.#attempts === 0 && this.#isPaused(choice?.mapping) ? 'health' : 'next';
  }

  /** Whether none of a mapping's credentials may be called, although one is below its limits. */
  #isPaused(mapping: Mapping | undefined): boolean {
    const open = this.#open.filter((one) => one.mapping === mapping);
    return open.length > 0 && open.every((one) => this.isClosed(one));
  }

  /** How long the request has waited since its last call, in whole milliseconds, as rows and headers show it. */
  takeWaitedMs(): number {
    const waitedMs = Math.round(this.#waitedNowMs);
    this.#waitedNowMs = 0;
    return waitedMs;
  }

  /** Candidates that are not known to be at their limits. */
  get #open(): readonly Candidate[] {
    return this.#capacity?.selectOpen(this.#candidates) ?? this.#candidates;
  }

  /** When the first candidate at its limits may be called again; absent if there is none. */
  get fullUntilMs(): number | undefined {
    return this.#capacity?.fullUntilMs;
  }

  /**
   * The slot of a candidate, or of another credential of its provider; where all are at their limits, after a wait.
   * Absent if it takes too long: then others are tried.
   */
  async enter(candidate: Candidate, mayWait = true): Promise<Entry | undefined> {
    if (!isLimited(candidate)) return { candidate };
    const startedMs = this.nowMs;
    this.#capacity ??= new RouteCapacity(this.tools);
    const entry = await this.#capacity.enter([candidate, ...this.#findSiblings(candidate)], mayWait);
    this.#waitedNowMs += this.nowMs - startedMs;
    return entry;
  }

  /** Other credentials that may be called just as well. */
  #findSiblings(candidate: Candidate): LimitedCandidate[] {
    const { nowMs } = this;
    return this.#open.filter(
      (one): one is LimitedCandidate =>
        isLimited(one) &&
        one !== candidate &&
        one.mapping === candidate.mapping &&
        !this.#counts.has(one) &&
        ['healthy', 'due'].includes(one.health.stateAt(nowMs)),
    );
  }

  /** Whether it is not to be called now. */
  isClosed(candidate: Candidate): boolean {
    return candidate.health.stateAt(this.nowMs) === 'closed';
  }

  hasTried(candidate: Candidate): boolean {
    return this.#counts.has(candidate);
  }

  countCall(candidate: Candidate): void {
    this.#attempts += 1;
    this.#counts.set(candidate, (this.#counts.get(candidate) ?? 0) + 1);
  }

  /**
   * Decides how a failure affects further attempts. The candidate may be called again unless the request is at fault.
   * Other credentials of its mapping come after other mappings unless the credential was at fault, and are skipped if
   * they would refuse the request, too.
   */
  learn(failed: Candidate, failure: UpstreamFailure): void {
    if (findNext(failure) === 'repeat') this.#repeatable.add(failed);
    if (concernsCredential(failure)) return;
    const isSibling = (one: Candidate): boolean => one.mapping === failed.mapping && !this.#counts.has(one);
    const siblings = this.#candidates.filter(isSibling);
    if (siblings.length === 0) return;
    const others = this.#candidates.filter((one) => !isSibling(one));
    this.#candidates = failure.kind === 'request-refused' ? others : [...others, ...siblings];
  }

  /** Waits, but not for a caller that disconnects. */
  wait(ms: number): Promise<undefined> {
    this.#waitedMs += ms;
    this.#waitedNowMs += ms;
    return waitWhileConnected(this.tools.trip.arrival.reply, ms);
  }
}
