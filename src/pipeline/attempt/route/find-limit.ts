import type { Timing } from '#routing';
import type { FirstEventWait } from '../attempt-types.ts';
import type { Candidate } from '../candidate.ts';
import type { RouteState } from './route-state.ts';

/** The first event is awaited for at most this many times its usual time. */
const PATIENCE = 2;
const LEAST_PATIENCE_MS = 300;
/** Where no second provider may be called, the first is abandoned after this many times as long. */
const ALONE_PATIENCE = 4;
const LEAST_ALONE_MS = 10_000;
/** The same after a failure, where it is not known how long it usually takes. */
const UNKNOWN_ALONE_MS = 30_000;
/** Fewer answers do not show how long it usually takes. */
export const LEAST_SAMPLES = 3;
/** Limits are rounded up to this, so that there are few different ones. */
const LIMIT_STEP_MS = 100;

type Tried = Pick<RouteState, 'candidates' | 'tools'>;

/** How long a mapping may be silent before another is called, too; absent where none is. */
export function findLimit(
  { candidates, tools }: Tried,
  candidate: Candidate,
  waiting: FirstEventWait | undefined,
): number | undefined {
  const { isAdaptive, hedges } = tools.ports.live().routing;
  const isWanted = waiting?.isAlone ? isAdaptive : hedges;
  if (!waiting || candidates.length < 2 || !isWanted) return undefined;
  const timing = findTiming(candidates, candidate, waiting);
  if (waiting.isAlone && timing.count < LEAST_SAMPLES)
    return candidate.health.isTrusted ? undefined : UNKNOWN_ALONE_MS;
  if (waiting.isAlone) return roundUp(Math.max(timing.high * ALONE_PATIENCE, LEAST_ALONE_MS));
  const usual = timing.count > 0 ? timing.high * PATIENCE : waiting.unknownMs;
  const { leastMs = 0 } = waiting;
  return roundUp(Math.max(usual, leastMs, LEAST_PATIENCE_MS));
}

/** A probed candidate is compared with the next one: only its bad times are known. */
function findTiming(candidates: readonly Candidate[], candidate: Candidate, waiting: FirstEventWait): Timing {
  const timingOf = ({ health }: Candidate): Timing => health[waiting.timing];
  if (candidate.health.isTrusted) return timingOf(candidate);
  const other = candidates.find((one) => one !== candidate && timingOf(one).count > 0);
  return timingOf(other ?? candidate);
}

function roundUp(ms: number): number {
  return Math.ceil(ms / LIMIT_STEP_MS) * LIMIT_STEP_MS;
}
