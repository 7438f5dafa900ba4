import type { JsonObject } from '#base';
import { encodeList as encodeListOf } from '#accounts';
import { type TObject, type TSchema, Type } from 'typebox';
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

export function createListSchema(item: TSchema): TObject {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The value of `after` for the next page.',
    }),
    has_more: Type.Boolean(),
  });
}
