import { readTexts } from '../parts/read-texts.ts';

export const SPANS = {
  day: { hours: 24, name: 'Last 24 hours' },
  week: { hours: 168, name: 'Last 7 days' },
  month: { hours: 720, name: 'Last 30 days' },
} as const;
export type Span = keyof typeof SPANS;

export const KINDS = {
  runaway_loop: 'Runaway loops',
  repeated_reads: 'Repeated reads',
  unused_tools: 'Unused tools',
  prompt_share: 'Large prompts',
  cheaper_provider: 'Cheaper providers',
  price_step: 'Price steps',
} as const;
type Kind = keyof typeof KINDS;

export interface SavingsSearch {
  part?: 'misses';
  span?: Span;
  kind?: Kind;
  organization_id?: string;
  project_id?: string;
}

export function readSavingsSearch(search: Record<string, unknown>): SavingsSearch {
  const { part, span, kind } = search;
  const isOf = <Names extends object>(names: Names, value: unknown): value is keyof Names =>
    typeof value === 'string' && Object.hasOwn(names, value);
  return {
    ...(part === 'misses' && { part }),
    ...(isOf(SPANS, span) && span !== 'week' && { span }),
    ...(isOf(KINDS, kind) && { kind }),
    ...readTexts(search, 'organization_id', 'project_id'),
  };
}
