import { readTexts } from '../parts/read-texts.ts';

/** The span of a list of sessions, in hours before now. */
export const SPANS = {
  day: { from: 24, to: 0, name: 'Last 24 hours' },
  yesterday: { from: 48, to: 24, name: 'The 24 hours before' },
  week: { from: 168, to: 0, name: 'Last 7 days' },
  month: { from: 720, to: 0, name: 'Last 30 days' },
} as const;
export type Span = keyof typeof SPANS;

const TEXTS = ['client_name', 'key_id', 'member_id', 'project_id', 'end_user_id', 'organization_id'] as const;

export type SessionsSearch = { [Name in (typeof TEXTS)[number]]?: string } & { span?: Span; sort?: 'cost' };

export function readSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const { span, sort } = search;
  const read: SessionsSearch = sort === 'cost' ? { sort } : {};
  if (typeof span === 'string' && Object.hasOwn(SPANS, span) && span !== 'day') read.span = span as Span;
  return { ...read, ...readTexts(search, ...TEXTS) };
}

interface SessionSearch {
  organization_id?: string;
  /** How the parts of an agent are ordered; by time if absent. */
  sort?: 'cost';
}

export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  return { ...readTexts(search, 'organization_id'), ...(search['sort'] === 'cost' && { sort: 'cost' }) };
}
