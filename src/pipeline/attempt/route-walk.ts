import type { Mapping } from '#catalogue';
import { type Ended, Race, type RaceOptions } from './race.ts';
import { addEarlier } from './route-meter.ts';
import { addAttemptsHeader } from '../request/attempts-header.ts';
import { createRouteRefusal } from './route-refusal.ts';
import { TriedRoute } from './tried-route.ts';
import { type AttemptEnding, type Attempted, type RouteTools, mayGoOn } from './try-route.ts';

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
      const { candidate, waitMs } = next;
      if (waitMs > 0) await tried.wait(waitMs);
      if (tried.isLeft) break;
      // The provider may have sent another request `retry-after` meanwhile.
      if (next.isClosed || (waitMs > 0 && tried.isClosed(candidate))) continue;
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
    if (!last) throw createRouteRefusal(tried);
    tried.tools.trip.set({ mapping: last.candidate.mapping });
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
}

function isRefusal(ending: AttemptEnding): boolean {
  return ending.type === 'failed' && ending.failure.kind === 'request-refused';
}
