import { type TSchema, Type } from 'typebox';
import { createParamError } from '#errors';

const DEFAULT_LIMIT = 20;
const MOST = 100;

/** A page of a list as OpenAI's clients ask for it. */
interface CursorPage {
  limit: number;
  order: 'asc' | 'desc';
  /** The id of the last entry of the page before; null for the first page. */
  after: string | null;
}

export function readCursorPage(query: URLSearchParams): CursorPage {
  const limit = query.get('limit') ?? String(DEFAULT_LIMIT);
  const order = query.get('order') ?? 'desc';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST)
    throw createParamError('limit', `must be a whole number from 1 to ${MOST}`);
  if (order !== 'asc' && order !== 'desc') throw createParamError('order', 'must be asc or desc');
  return { limit: Number(limit), order, after: query.get('after') };
}

/** The query of a list in OpenAPI: of what, and what `desc` means for it. */
export function describeCursorQuery(noun: string, latest: string): Record<string, string> {
  return {
    after: `The id of the last ${noun} of the page before.`,
    limit: `The most ${noun}s returned; ${DEFAULT_LIMIT} by default, ${MOST} at most.`,
    order: `\`desc\` (${latest}, the default) or \`asc\`.`,
  };
}

const orNull = Type.Union([Type.String(), Type.Null()]);

export const createPageSchema = (entry: TSchema) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(entry),
    first_id: orNull,
    last_id: orNull,
    has_more: Type.Boolean(),
  });
