import { encodeList as encodeListOf } from '#fields';
import type { JsonObject } from '#base';
import { type Query, refuse } from './read-query.ts';

const USUAL_LIMIT = 20;
const MOST = 100;

/** The query of every list. */
export const PAGE_QUERY = {
  after: 'The `last_id` of the previous page.',
  limit: `The size of the page, 1 to ${MOST}; ${USUAL_LIMIT} by default.`,
};

interface PageOptions {
  after?: string;
  /** One more than the page shows, to know whether more follow. */
  limit: number;
}

export function readPage({ after, limit }: Query): PageOptions {
  const count = limit === undefined ? USUAL_LIMIT : /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MOST) throw refuse('limit', `must be a whole number from 1 to ${MOST}`);
  return { ...(after !== undefined && { after }), limit: count + 1 };
}

/** The JSON of a page: the requested part, and whether more follows. */
export function encodeList(page: PageOptions, found: readonly JsonObject[]): JsonObject {
  return encodeListOf(found, page.limit - 1);
}
