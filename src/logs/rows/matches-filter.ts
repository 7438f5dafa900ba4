import type { LogRow } from './log-row.ts';
import {
  EQUAL_NAMES,
  type EqualName,
  type RequestFilter,
  SPECIAL_NAMES,
  type SpecialName,
  valuesOf,
} from './request-filters.ts';

const FITS: Readonly<Record<SpecialName, (row: LogRow, value: string) => boolean>> = {
  model: ({ modelId, requestedModel }, model) => modelId === model || requestedModel === model,
  tag: hasTag,
  userAgent: ({ userAgent }, start) => userAgent?.startsWith(start) === true,
  search: hasText,
};

/** Whether a list with this filter has the row. */
export function matchesFilter(row: LogRow, filter: RequestFilter): boolean {
  return (
    EQUAL_NAMES.every((name) => filter[name] === undefined || hasValue(row, name, filter[name])) &&
    SPECIAL_NAMES.every((name) => filter[name] === undefined || FITS[name](row, filter[name]))
  );
}

/** An empty value selects no row, as in SQL: what is missing is NULL. */
function hasValue(row: LogRow, name: EqualName, value: string): boolean {
  const own = row[name];
  return own !== undefined && valuesOf(name, value).includes(own);
}

function hasTag({ tags = {} }: LogRow, tag: string): boolean {
  const at = tag.indexOf('=');
  if (at === -1) return Object.hasOwn(tags, tag.trim());
  return tags[tag.slice(0, at).trim()] === tag.slice(at + 1).trim();
}

function hasText(row: LogRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  const texts = [row.errorMessage, row.userAgent, row.requestedModel, row.clientRequestId, row.upstreamId];
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}
