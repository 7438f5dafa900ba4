import type { UsageSource } from './usage-groups.ts';
import type { UsageState } from './usage-state.ts';

/** From a moment until before another, in milliseconds since the Unix epoch; either may be infinite. */
export interface Span {
  from: number;
  to: number;
}

/** What a report reads: each request is in exactly one of the four. */
interface UsageSpans {
  days: readonly Span[];
  hours: readonly Span[];
  rows: readonly Span[];
  /** Usage per hour whose rows are dropped: of a source with names that it does not have. */
  expired: readonly Span[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The hours of a filter: one that has begun when it ends is included. */
export function toHours({ since = -Infinity, until = Infinity }: { since?: number; until?: number }): Span {
  return { from: Math.floor(since / HOUR_MS) * HOUR_MS, to: Math.ceil(until / HOUR_MS) * HOUR_MS };
}

/** Divides a span of whole hours among the sums and the rows. */
export function divideSpan(
  whole: Span,
  { source, state, isHourly }: { source: UsageSource; state: UsageState; isHourly: boolean },
): UsageSpans {
  const { retentionCutoff, countedThrough, detailedFrom, lateHours, openDays } = state;
  const expired = source.isDetailed ? meet(whole, { from: -Infinity, to: retentionCutoff }) : [];
  const summedFrom = source.isDetailed ? Math.max(detailedFrom, retentionCutoff) : -Infinity;
  const late = lateHours
    .filter((hour) => hour >= summedFrom)
    .map((hour) => ({ from: hour, to: hour + HOUR_MS }));
  const summed = meet(whole, { from: summedFrom, to: countedThrough }).flatMap((span) => omit(span, late));
  const rows = [
    { from: countedThrough, to: Infinity },
    { from: -Infinity, to: retentionCutoff },
    ...(source.isDetailed ? [{ from: retentionCutoff, to: Math.min(detailedFrom, countedThrough) }] : []),
    ...late,
  ].flatMap((span) => meet(whole, span));
  if (source.days === undefined || isHourly) return { days: [], hours: summed, rows, expired };
  const open = openDays.map((day) => ({ from: day, to: day + DAY_MS }));
  const days = summed.flatMap(toWholeDays).flatMap((span) => omit(span, open));
  return { days, hours: summed.flatMap((span) => omit(span, days)), rows, expired };
}

function meet(one: Span, other: Span): Span[] {
  const from = Math.max(one.from, other.from);
  const to = Math.min(one.to, other.to);
  return from < to ? [{ from, to }] : [];
}

/** The rest of a span without these parts. */
function omit(whole: Span, parts: readonly Span[]): Span[] {
  const left: Span[] = [];
  let { from } = whole;
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    left.push(...meet(whole, { from, to: part.from }));
    from = Math.max(from, part.to);
  }
  return [...left, ...meet(whole, { from, to: whole.to })];
}

function toWholeDays({ from, to }: Span): Span[] {
  const first = Math.ceil(from / DAY_MS) * DAY_MS;
  const last = Math.floor(to / DAY_MS) * DAY_MS;
  return first < last ? [{ from: first, to: last }] : [];
}
