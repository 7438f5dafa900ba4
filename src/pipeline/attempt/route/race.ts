import type { AttemptReason, Budget } from '#routing';
import { type Candidate, healthsOf } from '../candidate.ts';
import type { Entry } from './route-capacity.ts';
import type { RouteState } from './route-state.ts';
import { type Deadline, startDeadline } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { isOrdinaryStream, measureAnswer } from './measure-answer.ts';
import { recordAttempt, recordStall } from './record-attempt.ts';
import { addAttemptsHeader } from '../../request/attempts-header.ts';
import { LEAST_SAMPLES, findLimit } from './find-limit.ts';
import {
  type AttemptEnding,
  type BeginAttempt,
  type Attempt,
  type AttemptListener,
  type FirstEventWait,
  mayGoOn,
} from '../attempt-types.ts';

/** Without a budget for rivals, the next mapping is called as a retry, after this many times as long within these bounds. */
const LAST_PATIENCE = 3;
const LEAST_LAST_PATIENCE_MS = 2_000;
const MOST_LAST_PATIENCE_MS = 10_000;

export interface RaceOptions {
  begin: BeginAttempt;
  /** Absent for requests that are never sent to two providers at once. */
  waiting?: FirstEventWait | undefined;
}

/** An attempt under way. */
interface RunningAttempt extends Entry {
  credentialId: string | undefined;
  attempt: Attempt;
  reason: AttemptReason;
  waitedMs: number;
  startedMs: number;
  limitMs: number | undefined;
  limit?: Pick<Deadline, 'stop'>;
  hasBegun: boolean;
  isStalled?: true;
  /** Until the answer began. */
  takenMs?: number;
}

export type EndedAttempt = RunningAttempt & { ending: AttemptEnding };

/** An attempt, and those that join it while it is silent for longer than usual; only the first to answer continues. */
export class Race {
  readonly #tried: RouteState;
  readonly #options: RaceOptions;
  readonly #running = new Set<RunningAttempt>();
  readonly #over = Promise.withResolvers<EndedAttempt>();

  constructor(tried: RouteState, options: RaceOptions) {
    this.#tried = tried;
    this.#options = options;
  }

  /** Resolves with the attempt that answers, or with the last to fail. */
  run(first: Entry): Promise<EndedAttempt> {
    this.#start(first);
    return this.#over.promise;
  }

  #start(entry: Entry, isRival = false): void {
    try {
      this.#call(entry, isRival);
    } catch (thrown) {
      entry.slot?.end(0);
      this.#break(thrown);
    }
  }

  #call({ candidate, slot }: Entry, isRival: boolean): void {
    const tried = this.#tried;
    const provider = tried.findProvider(candidate);
    if (!provider) throw new Error('a mapping of the route has lost its provider');
    const reason = tried.explain(candidate, isRival);
    tried.countCall(candidate);
    const startedMs = tried.nowMs;
    for (const one of healthsOf(candidate)) if (one.stateAt(startedMs) === 'due') one.probe(startedMs);
    const listener: AttemptListener = {
      onBegin: () => this.#begin(running),
      onSpeed: (msPerToken) => {
        for (const one of healthsOf(candidate)) one.measure('perToken', startedMs, msPerToken);
      },
    };
    if (isOrdinaryStream(this.#options.waiting?.timing))
      listener.stalls = { ...describeSilence(candidate), onStall: () => this.#stall(running) };
    const attempt = this.#options.begin(candidate.mapping, provider, listener);
    const { credentialId } = provider;
    const limitMs = findLimit(tried, candidate, this.#options.waiting);
    const running: RunningAttempt = {
      candidate,
      ...(slot && { slot }),
      credentialId,
      attempt,
      reason,
      waitedMs: tried.takeWaitedMs(),
      startedMs,
      limitMs,
      hasBegun: false,
    };
    if (limitMs !== undefined) this.#await(running, limitMs, () => this.#outwait(running));
    this.#running.add(running);
    attempt.run().then(
      (ending) => this.#end(running, ending),
      (thrown: unknown) => {
        freeSlot(running);
        this.#break(thrown);
      },
    );
  }

  #outwait(silent: RunningAttempt): void {
    if (this.#options.waiting?.isAlone) this.#leave(silent);
    else this.#hedge(silent);
  }

  /** Abandons it for the next mapping, if there is one and the budget covers it. */
  #leave(silent: RunningAttempt): void {
    const { budgets, nowMs } = this.#tried;
    if (!this.#tried.findRival(silent.candidate) || !budgets.retries.hasAny(nowMs)) return;
    const message = 'the provider took far longer than usual to start its response';
    silent.attempt.giveUp({ kind: 'timed-out', message });
  }

  /** Lets it be silent for a time, or until the provider is silent to other requests, too. */
  #await(silent: RunningAttempt, limitMs: number, onLimit: () => void): void {
    silent.limit?.stop(); // it may still run where another attempt has failed
    const deadline = startDeadline(limitMs, onLimit);
    const { health } = silent.candidate;
    const timing = this.#options.waiting?.timing;
    const leave = health.waiting.add({
      startedMs: silent.startedMs,
      get waitedMs() {
        return deadline.elapsedMs;
      },
      usual: timing === 'whole' || timing === 'longWhole' ? health[timing] : undefined,
      onSilence: (isSure) => this.#hurry(silent, isSure),
    });
    const stop = (): void => {
      deadline.stop();
      leave();
    };
    silent.limit = { stop };
  }

  /** Calls the next mapping while the others are still silent; later if there is none yet, or no budget. */
  #hedge(silent: RunningAttempt): void {
    if (this.#join(silent, this.#tried.budgets.hedges)) return;
    const usualMs = Math.max((silent.limitMs ?? 0) * LAST_PATIENCE, LEAST_LAST_PATIENCE_MS);
    this.#await(silent, Math.min(usualMs, MOST_LAST_PATIENCE_MS), () => this.#replace(silent));
  }

  /** The call has been silent for so long that the next one may come from the budget of retries. */
  #replace(silent: RunningAttempt): void {
    if (!this.#join(silent, this.#tried.budgets.retries)) this.#hedge(silent);
  }

  /** The provider answers no call, so this one is as good as failed; unless `isSure`, that is only likely. */
  #hurry(silent: RunningAttempt, isSure: boolean): boolean {
    const { budgets, nowMs } = this.#tried;
    if (this.#options.waiting?.isAlone) return false;
    if (isSure) return this.#join(silent, budgets.hedges) || this.#join(silent, budgets.retries);
    if (!this.#join(silent, budgets.hedges)) return false;
    silent.limitMs = nowMs - silent.startedMs; // if it is outpaced, it was silent for too long
    return true;
  }

  /** Calls the next mapping, too, if there is one and the budget covers it. */
  #join(silent: RunningAttempt, budget: Budget): boolean {
    const rival = this.#tried.findRival(silent.candidate);
    if (!rival || !budget.spend(this.#tried.nowMs)) return false;
    silent.limit?.stop();
    this.#startRival(silent, rival, budget);
    return true;
  }

  /** While the rival waits to enter, the silent one may begin to answer. If the rival may not enter, another is tried. */
  #startRival(silent: RunningAttempt, rival: Candidate, budget: Budget): void {
    if (!rival.allowance) {
      this.#start({ candidate: rival }, true);
      return;
    }
    void this.#tried.enter(rival, false).then((entry) => {
      const isSilent = this.#running.has(silent) && !silent.hasBegun;
      const isOpen = entry !== undefined && !this.#tried.isClosed(entry.candidate);
      if (isSilent && isOpen && !this.#tried.hasTried(entry.candidate)) {
        this.#start(entry, true);
        return;
      }
      entry?.slot?.end(0);
      budget.refund();
      if (isSilent && !isOpen) this.#hedge(silent);
    });
  }

  /** A fault of the gateway ends the request, and with it every call. */
  #break(thrown: unknown): void {
    for (const running of this.#running) {
      running.limit?.stop();
      running.attempt.cancel();
    }
    this.#running.clear();
    this.#over.reject(thrown);
  }

  #stall(running: RunningAttempt): void {
    running.isStalled = true;
    recordStall(running.candidate, { nowMs: this.#tried.nowMs, startedMs: running.startedMs });
  }

  #begin(winner: RunningAttempt): void {
    const { waiting } = this.#options;
    this.#tried.endWait();
    winner.hasBegun = true;
    winner.limit?.stop();
    const takenMs = this.#tried.nowMs - winner.startedMs;
    winner.takenMs = takenMs;
    for (const health of healthsOf(winner.candidate)) {
      health.begin(winner.startedMs);
      if (waiting) health.measure(waiting.timing, winner.startedMs, takenMs);
    }
    for (const running of this.#running) {
      if (running === winner) continue;
      this.#running.delete(running);
      running.limit?.stop();
      // A call that began after the winner was not slower than it.
      if (running.startedMs > winner.startedMs) running.limitMs = undefined;
      running.attempt.cancel();
      this.#record(running, 'outpaced');
      this.#tried.earlier.push(running.attempt.meter);
    }
    this.#addHeader(winner);
  }

  /** The headers of the answer are about to be sent. */
  #addHeader({ candidate, reason, waitedMs }: RunningAttempt): void {
    const { providerId, externalId } = candidate.mapping;
    const { trip } = this.#tried.tools;
    const call = { providerId, externalId, reason };
    trip.set({ answering: waitedMs > 0 ? { ...call, waitedMs } : call });
    addAttemptsHeader(trip);
  }

  #end(running: RunningAttempt, ending: AttemptEnding): void {
    running.limit?.stop();
    const isAwaited = this.#running.delete(running);
    if (isAwaited) this.#record(running, ending);
    // After the outcome is recorded: the next in the queue is decided by it.
    freeSlot(running);
    if (!isAwaited) return;
    if (ending.type === 'answered') measureAnswer(running, this.#options.waiting?.timing);
    if (ending.type === 'failed') this.#tried.learn(running.candidate, ending.failure);
    if (this.#running.size === 0) {
      this.#over.resolve({ ...running, ending });
      return;
    }
    this.#tried.earlier.push(running.attempt.meter);
    const [silent] = this.#running;
    if (silent && !silent.hasBegun && mayGoOn(ending)) this.#hedge(silent);
  }

  #record(running: RunningAttempt, ending: AttemptEnding | 'outpaced'): void {
    recordAttempt(this.#tried.tools, running, ending);
  }
}

function describeSilence({ health: { silence } }: Candidate): { usualMs: number; isKnown: boolean } {
  return { usualMs: silence.count === 0 ? 0 : silence.high, isKnown: silence.count >= LEAST_SAMPLES };
}

/** Counts what the call has used of the tokens a minute. */
function freeSlot({ slot, attempt }: RunningAttempt): void {
  if (!slot) return;
  const { usage } = attempt.meter.bill;
  slot.end(inputTokensOf(usage) + outputTokensOf(usage));
}
