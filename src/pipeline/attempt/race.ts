import type { Reason, Timing } from '#routing';
import type { Candidate } from './candidate.ts';
import type { Entry } from './route-capacity.ts';
import type { TriedRoute } from './tried-route.ts';
import { type Deadline, startDeadline } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { noteAttempt } from './note-attempt.ts';
import { addAttemptsHeader } from '../request/attempts-header.ts';
import { type AttemptEnding, type BeginTry, type Try, type Waiting, mayGoOn } from './try-route.ts';

/** The first event is awaited this many times as long as it usually takes at most. */
const PATIENCE = 2;
/** Without a budget for rivals, a silent mapping is left for a retry after this many times as long. */
const LAST_PATIENCE = 3;
const LEAST_LAST_PATIENCE_MS = 2_000;
const LEAST_PATIENCE_MS = 300;
/** Limits are rounded up to this, so that there are few different ones. */
const LIMIT_STEP_MS = 100;

export interface RaceOptions {
  begin: BeginTry;
  /** Absent for requests that are never sent to two providers at once. */
  waiting?: Waiting | undefined;
}

/** An attempt under way. */
interface Running {
  candidate: Candidate;
  credentialId: string | undefined;
  single: Try;
  reason: Reason;
  waitedMs: number;
  startedMs: number;
  limitMs: number | undefined;
  limit: Deadline | undefined;
  hasBegun: boolean;
}

export type Ended = Running & { ending: AttemptEnding };

/**
 * An attempt, and those that join it while it is silent for longer than usual: the first to answer is the only one that
 * goes on.
 */
export class Race {
  readonly #tried: TriedRoute;
  readonly #options: RaceOptions;
  readonly #running = new Set<Running>();
  readonly #over = Promise.withResolvers<Ended>();

  constructor(tried: TriedRoute, options: RaceOptions) {
    this.#tried = tried;
    this.#options = options;
  }

  /** Resolves with the attempt that answers, or with the last to fail. */
  async run(first: Entry): Promise<Ended> {
    this.#start(first);
    return this.#over.promise;
  }

  #start(entry: Entry, isRival = false): void {
    try {
      this.#call(entry, isRival);
    } catch (thrown) {
      entry.pass?.end(0);
      this.#break(thrown);
    }
  }

  #call({ candidate, pass }: Entry, isRival: boolean): void {
    const tried = this.#tried;
    const provider = tried.findProvider(candidate);
    if (!provider) throw new Error('a mapping of the route has lost its provider');
    const reason = tried.explain(candidate, isRival);
    tried.countCall(candidate);
    const startedMs = tried.nowMs;
    const { mapping, health } = candidate;
    if (health.standingAt(startedMs) === 'due') health.probe(startedMs);
    const single = this.#options.begin(mapping, provider, {
      onBegin: () => this.#begin(running),
      onSpeed: (msPerToken) => health.measure('perToken', startedMs, msPerToken),
    });
    const { credentialId } = provider;
    const limitMs = this.#findLimit(candidate);
    const running: Running = {
      candidate,
      credentialId,
      single,
      reason,
      waitedMs: tried.takeWaitedMs(),
      startedMs,
      limitMs,
      limit: limitMs === undefined ? undefined : startDeadline(limitMs, () => this.#hedge(running)),
      hasBegun: false,
    };
    this.#running.add(running);
    const run = pass ? single.run().finally(() => pass.end(tokensOf(single))) : single.run();
    run.then(
      (ending) => this.#end(running, ending),
      (thrown: unknown) => this.#break(thrown),
    );
  }

  /** How long this mapping may be silent before another is called, too. */
  #findLimit(candidate: Candidate): number | undefined {
    const { waiting } = this.#options;
    const { candidates, tools } = this.#tried;
    if (!waiting || candidates.length < 2 || !tools.ports.live().routing.hedges) return undefined;
    const timing = this.#findTiming(candidate, waiting);
    const usual = timing.count > 0 ? timing.high * PATIENCE : waiting.unknownMs;
    const { leastMs = 0 } = waiting;
    return Math.ceil(Math.max(usual, leastMs, LEAST_PATIENCE_MS) / LIMIT_STEP_MS) * LIMIT_STEP_MS;
  }

  /** A candidate on trial is measured by the next one: what is known of itself is its bad times. */
  #findTiming(candidate: Candidate, { awaited }: Waiting): Timing {
    const timingOf = ({ health: { firstEvent, whole } }: Candidate): Timing =>
      awaited === 'event' ? firstEvent : whole;
    if (candidate.health.isTrusted) return timingOf(candidate);
    const other = this.#tried.candidates.find((one) => one !== candidate && timingOf(one).count > 0);
    return timingOf(other ?? candidate);
  }

  /** Calls the next mapping while the others are still silent; later if there is none yet, or no budget. */
  #hedge(silent: Running): void {
    const rival = this.#tried.findRival(silent.candidate);
    if (rival && this.#tried.budgets.hedges.spend(this.#tried.nowMs)) {
      this.#startRival(silent, rival);
      return;
    }
    const limitMs = Math.max((silent.limitMs ?? 0) * LAST_PATIENCE, LEAST_LAST_PATIENCE_MS);
    silent.limit?.stop();
    silent.limit = startDeadline(limitMs, () => this.#replace(silent));
  }

  /** The call has been silent for so long that the next one may come from the budget of retries. */
  #replace(silent: Running): void {
    const rival = this.#tried.findRival(silent.candidate);
    if (rival && this.#tried.budgets.retries.spend(this.#tried.nowMs)) this.#startRival(silent, rival);
    else this.#hedge(silent);
  }

  /** While it enters, the silent one may have begun to answer; where it may not, another one is tried. */
  #startRival(silent: Running, rival: Candidate): void {
    if (!rival.allowance) {
      this.#start({ candidate: rival }, true);
      return;
    }
    void this.#tried.enter(rival, false).then((entry) => {
      const isSilent = this.#running.has(silent) && !silent.hasBegun;
      if (!entry) {
        if (isSilent) this.#hedge(silent);
      } else if (isSilent && !this.#tried.hasTried(entry.candidate)) this.#start(entry, true);
      else entry.pass?.end(0);
    });
  }

  /** A fault of the gateway ends the request, and with it every call. */
  #break(thrown: unknown): void {
    for (const running of this.#running) {
      running.limit?.stop();
      running.single.cancel();
    }
    this.#running.clear();
    this.#over.reject(thrown);
  }

  #begin(winner: Running): void {
    const { waiting } = this.#options;
    const { health } = winner.candidate;
    winner.hasBegun = true;
    winner.limit?.stop();
    health.noteAnswer();
    if (waiting) {
      const timing = waiting.awaited === 'event' ? 'firstEvent' : 'whole';
      health.measure(timing, winner.startedMs, this.#tried.nowMs - winner.startedMs);
    }
    for (const running of this.#running) {
      if (running === winner) continue;
      this.#running.delete(running);
      running.limit?.stop();
      running.single.cancel();
      this.#note(running, 'outpaced');
      this.#tried.earlier.push(running.single.meter);
    }
    this.#addHeader(winner);
  }

  /** The headers of the answer are about to be sent. */
  #addHeader({ candidate, reason, waitedMs }: Running): void {
    const { providerId, externalId } = candidate.mapping;
    const { trip } = this.#tried.tools;
    trip.note({ answering: { providerId, externalId, reason, ...(waitedMs > 0 && { waitedMs }) } });
    addAttemptsHeader(trip);
  }

  #end(running: Running, ending: AttemptEnding): void {
    running.limit?.stop();
    if (!this.#running.delete(running)) return;
    this.#note(running, ending);
    if (ending.type === 'failed') this.#tried.learn(running.candidate, ending.failure);
    if (this.#running.size === 0) {
      this.#over.resolve({ ...running, ending });
      return;
    }
    this.#tried.earlier.push(running.single.meter);
    const [silent] = this.#running;
    if (silent && !silent.hasBegun && mayGoOn(ending)) this.#hedge(silent);
  }

  #note(running: Running, ending: AttemptEnding | 'outpaced'): void {
    noteAttempt(this.#tried.tools, {
      ...running,
      ending,
      status: running.single.status,
      spanId: running.single.spanId,
    });
  }
}

/** What the call has used of the tokens a minute. */
function tokensOf({ meter }: Try): number {
  const { usage } = meter.bill;
  return inputTokensOf(usage) + outputTokensOf(usage);
}
