import type { Mapping } from '#catalogue';
import { type EndedAttempt, Race, type RaceOptions } from './race.ts';
import { addEarlier } from './route-meter.ts';
import { addAttemptsHeader } from '../../request/attempts-header.ts';
import { createRouteRefusal } from './route-refusal.ts';
import { RouteState } from './route-state.ts';
import { type AttemptEnding, type AttemptResult, type RouteTools, mayGoOn } from '../attempt-types.ts';

/**
 * Calls the candidates of one request until one answers: a failure is retried at the same mapping or followed by the next
 * one. After the first event there is no other attempt.
 */
export function walkRoute(
  tools: RouteTools,
  route: readonly Mapping[],
  options: RaceOptions,
): Promise<AttemptResult> {
  const state = new RouteState(tools, route);
  return walk(state, options).finally(() => state.endWait());
}

async function walk(state: RouteState, options: RaceOptions): Promise<AttemptResult> {
  let last: EndedAttempt | undefined;
  for (let next = state.choose(); next; next = state.choose()) {
    const { candidate, waitMs } = next;
    if (waitMs > 0) await state.wait(waitMs);
    if (state.isLeft) break;
    // The provider may have sent another request `retry-after` meanwhile.
    if (next.isClosed || (waitMs > 0 && state.isClosed(candidate))) continue;
    const entry = candidate.allowance ? await state.enter(candidate) : { candidate };
    if (!entry) continue;
    if (state.isAdaptive && entry.slot && state.isClosed(entry.candidate)) {
      entry.slot.end(0); // it was closed while the request waited for its place
      continue;
    }
    if (!mayCall(state, last)) {
      entry.slot?.end(0);
      break;
    }
    if (last) state.earlier.push(last.attempt.meter);
    last = await new Race(state, options).run(entry);
    if (!mayGoOn(last.ending)) break;
  }
  if (!last) throw createRouteRefusal(state);
  state.tools.trip.set({ mapping: last.candidate.mapping });
  if (last.ending.type !== 'answered') addAttemptsHeader(state.tools.trip);
  const ending: AttemptEnding =
    last.ending.type === 'failed' && state.isLeft ? { type: 'canceled' } : last.ending;
  return { ending, meter: addEarlier(last.attempt.meter, state.earlier) };
}

/** Whether the budget allows another call; each mapping refuses a request only once, so that those need none. */
function mayCall(state: RouteState, last: EndedAttempt | undefined): boolean {
  if (state.isLeft) return false;
  if (!state.isAdaptive || !last || isRefusal(last.ending)) return true;
  return state.budgets.retries.spend(state.nowMs);
}

function isRefusal(ending: AttemptEnding): boolean {
  return ending.type === 'failed' && ending.failure.kind === 'request-refused';
}
