import type { UsageFilter } from '#logs';
import { Type } from 'typebox';
import { MOST_TOP, USAGE_GROUPS_HELP, USUAL_TOP, readUsageGroups } from '#logs';
import { orNull, usdShape } from '../admin/fields.ts';
import { readRequestFilter } from '../admin/request-filter.ts';
import { type Query, refuse } from '../admin/read-query.ts';

const lineShape = Type.Object({
  object: Type.Literal('usage'),
  group: Type.Record(Type.String(), Type.String()),
  other: Type.Boolean({ description: 'All groups beyond `top` together.' }),
  requests: Type.Integer(),
  tokens: Type.Record(Type.String(), Type.Integer(), { description: 'Disjoint parts.' }),
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'Of the input: read from the prompt cache.' }),
  cache_write_tokens: Type.Integer({ description: 'Of the input: written to the prompt cache.' }),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer({ description: 'Of the output.' }),
  cost: usdShape,
  provider_cost: Type.Optional(usdShape),
});

export const USAGE_ANSWER = {
  description: 'A line for each group, and the total.',
  schema: Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(lineShape),
    total: orNull(lineShape),
  }),
};

export const USAGE_QUERY = {
  by: `What to group by, separated by commas: ${USAGE_GROUPS_HELP}; a single line by default.`,
  top: `How many groups get a line, the most expensive ones; the others share one line. ${USUAL_TOP} by default, ${MOST_TOP} at most.`,
  since: 'Only requests that started in the hour of this time (ISO 8601) or later.',
  until: 'Only requests that started before this time; an hour that it divides counts as a whole.',
};

/** The groups of a report, and the requests that it sums up. */
export function readUsageQuery(query: Query): UsageFilter {
  const { by, top } = query;
  return {
    ...readRequestFilter(query),
    ...(by !== undefined && { by: readGroups(by) }),
    ...(top !== undefined && { top: readTop(top) }),
  };
}

function readGroups(text: string): NonNullable<UsageFilter['by']> {
  const groups = readUsageGroups(text);
  if (!groups) throw refuse('by', `must be some of ${USAGE_GROUPS_HELP}, each once`);
  return groups;
}

function readTop(text: string): number {
  const top = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (top < 1 || top > MOST_TOP) throw refuse('top', `must be a whole number from 1 to ${MOST_TOP}`);
  return top;
}
