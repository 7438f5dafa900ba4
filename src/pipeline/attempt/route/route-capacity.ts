import type { LimiterSlot } from '#accounts';
import type { Candidate } from '../candidate.ts';
import type { RouteTools } from '../attempt-types.ts';

/** A candidate that may be called now. */
export interface Entry {
  candidate: Candidate;
  /** To be released when the call ends in any way; absent if nothing is limited. */
  slot?: LimiterSlot;
}

/** A candidate whose credential or provider is limited. */
export type LimitedCandidate = Candidate & Required<Pick<Candidate, 'allowance'>>;

export function isLimited(candidate: Candidate): candidate is LimitedCandidate {
  return candidate.allowance !== undefined;
}

/** The limits of the providers of one request, and which it found reached. */
export class RouteCapacity {
  readonly #tools: RouteTools;
  /** Candidates at their limits, and until when. */
  readonly #full = new Map<Candidate, number>();
  /** Providers for which the request has waited. */
  readonly #queued = new Set<string>();

  constructor(tools: RouteTools) {
    this.#tools = tools;
  }

  /** When the first candidate at its limits may be called again; absent if there is none. */
  get fullUntilMs(): number | undefined {
    return this.#full.size === 0 ? undefined : Math.min(...this.#full.values());
  }

  /** Those that are not known to be at their limits. */
  selectOpen(candidates: readonly Candidate[]): readonly Candidate[] {
    return this.#full.size === 0 ? candidates : candidates.filter((one) => !this.#full.has(one));
  }

  /**
   * Enters by the first of these credentials of a provider that is open; where all are at their limits, after a wait.
   * Absent if it takes too long.
   */
  async enter(
    candidates: readonly [LimitedCandidate, ...LimitedCandidate[]],
    mayWait: boolean,
  ): Promise<Entry | undefined> {
    const { ports, trip } = this.#tools;
    const { providerId } = candidates[0].mapping;
    const entered = await ports.capacity.enter({
      providerId,
      credentials: candidates,
      isOpen: ({ health }) => health.stateAt(ports.clock.monotonicMs()) !== 'closed',
      tenant: trip.get('caller').organizationId,
      tokens: trip.get('inputEstimate'),
      mayWait: mayWait && !trip.arrival.isCopy && !this.#queued.has(providerId),
      reply: trip.arrival.reply,
    });
    if ('slot' in entered) return { candidate: entered.credential, slot: entered.slot };
    this.#queued.add(providerId);
    const untilMs = ports.clock.monotonicMs() + entered.waitMs;
    for (const one of candidates) this.#full.set(one, untilMs);
    return undefined;
  }
}
