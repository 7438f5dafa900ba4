import type { Mapping } from '#catalogue';
import { GatewayError } from '#errors';
import { type Ended, Race, type RaceOptions } from './race.ts';
import { addEarlier } from './route-meter.ts';
import { addAttemptsHeader } from '../request/tell-attempts.ts';
import { TriedRoute } from './tried-route.ts';
import { type AttemptEnding, type Attempted, type RouteTools, mayGoOn } from './try-route.ts';

/** Windows are as long; what never fits is not promised either. */
const MOST_RETRY_MS = 60_000;

/**
 * The attempts of one request, until one answers: after a failure at the next mapping, or again at the same. After the
 * first event there is no other attempt.
 */
export class RouteWalk {
  readonly #tried: TriedRoute;
  readonly #options: RaceOptions;

  constructor(tools: RouteTools, route: readonly Mapping[], options: RaceOptions) {
    this.#tried = new TriedRoute(tools, route);
    this.#options = options;
  }

  async run(): Promise<Attempted> {
    const tried = this.#tried;
    let last: Ended | undefined;
    for (let next = tried.choose(); next; next = tried.choose()) {
      if (next.waitMs > 0) await tried.wait(next.waitMs);
      if (tried.isLeft) break;
      if (next.isClosed) continue;
      const { candidate } = next;
      const entry = candidate.allowance ? await tried.enter(candidate) : { candidate };
      if (!entry) continue;
      if (!this.#mayCall(last)) {
        entry.pass?.end(0);
        break;
      }
      if (last) tried.earlier.push(last.single.meter);
      last = await new Race(tried, this.#options).run(entry);
      if (!mayGoOn(last.ending)) break;
    }
    if (!last) throw this.#toRefusal();
    tried.tools.trip.note({ mapping: last.candidate.mapping });
    if (last.ending.type !== 'answered') addAttemptsHeader(tried.tools.trip);
    const ending: AttemptEnding =
      last.ending.type === 'failed' && tried.isLeft ? { type: 'canceled' } : last.ending;
    return { ending, meter: addEarlier(last.single.meter, tried.earlier) };
  }

  /** Whether the budget allows another call; each mapping refuses a request only once, so that those need none. */
  #mayCall(last: Ended | undefined): boolean {
    if (this.#tried.isLeft) return false;
    if (!this.#tried.isAdaptive || !last || isRefusal(last.ending)) return true;
    return this.#tried.budgets.retries.spend(this.#tried.nowMs);
  }

  /** Why nobody was called. */
  #toRefusal(): GatewayError {
    const { isLeft, candidates, nowMs, fullUntilMs } = this.#tried;
    if (isLeft)
      return new GatewayError('client_closed', 'the client disconnected before a provider was called');
    if (candidates.length === 0)
      return new GatewayError(
        'provider_not_configured',
        'the providers of this model are no longer configured',
      );
    if (fullUntilMs !== undefined) return toFullRefusal(fullUntilMs - nowMs);
    const untilMs = Math.min(...candidates.map(({ health }) => health.pausedUntilMs));
    const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
    const whom =
      new Set(candidates.map(({ mapping }) => mapping)).size === 1 ? 'the provider' : 'every provider';
    return new GatewayError(
      'upstream_overloaded',
      `${whom} of this model fails or asks to be called later; retry in ${retryAfterSeconds} s`,
      { retryAfterSeconds },
    );
  }
}

function isRefusal(ending: AttemptEnding): boolean {
  return ending.type === 'failed' && ending.failure.kind === 'request-refused';
}

/** What the operator allows to be sent to the providers is used up. */
function toFullRefusal(waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(Math.min(waitMs, MOST_RETRY_MS) / 1_000));
  return new GatewayError(
    'upstream_overloaded',
    `the limits of this gateway at the providers of this model are reached; retry in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}
