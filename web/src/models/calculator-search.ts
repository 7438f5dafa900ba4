import { readTexts } from '../parts/read-texts.ts';

export const SPANS = {
  month: 'the last 30 days',
  calendar: 'last month (UTC)',
  week: 'the last 7 days',
  day: 'the last 24 hours',
} as const;

export type Span = keyof typeof SPANS;

export interface CalculatorSearch {
  model?: string;
  /** Only requests that this model answered. */
  from?: string;
  /** The last 30 days, if absent. */
  span?: Span;
}

export function readCalculatorSearch(search: Record<string, unknown>): CalculatorSearch {
  const known = (Object.keys(SPANS) as Span[]).find((name) => name === search['span']);
  return {
    ...readTexts(search, 'model', 'from'),
    ...(known && known !== 'month' && { span: known }),
  };
}

const DAY_MS = 86_400_000;
const DAYS = { month: 30, week: 7, day: 1 } as const;

/** Since when, and until when if that is not now. */
export function toTimes(span: Span, now: Date): { since: string; until?: string } {
  if (span !== 'calendar') return { since: new Date(now.getTime() - DAYS[span] * DAY_MS).toISOString() };
  const first = (months: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString();
  return { since: first(1), until: first(0) };
}
