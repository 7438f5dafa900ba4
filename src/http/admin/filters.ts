import { type Input, type InputFields, decodeInput, wireNameOf } from '#fields';
import { type Query, refuse } from './read-query.ts';

/** Filters as parameters; those without a description are only for commands. */
export function describeFilters(fields: InputFields): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, { type, description }] of Object.entries(fields))
    if (description !== undefined) query[wireNameOf(name, type)] = description;
  return query;
}

const DAY_MS = 86_400_000;

/** The filters of a query, with the default start of their time. */
export function readFilters<Fields extends InputFields>(
  fields: Fields,
  query: Query,
  now: number,
): Input<Fields> {
  const input = decodeInput(fields, query);
  for (const [name, { type, isOptional, usualDays }] of Object.entries(fields)) {
    if (usualDays !== undefined) input[name] ??= now - usualDays * DAY_MS;
    else if (!isOptional) input[name] ??= type.decode('', wireNameOf(name, type));
    if (!isOptional && input[name] === '') throw refuse(wireNameOf(name, type), 'is required');
  }
  checkSpan(input, query);
  return input as Input<Fields>;
}

/** Refuses a span that ends before it starts. */
function checkSpan({ since, until }: { since?: unknown; until?: unknown }, query: Query): void {
  if (typeof since !== 'number' || typeof until !== 'number' || since <= until) return;
  const isGiven = query['since'] !== undefined;
  throw refuse('since', isGiven ? 'must not be after until' : 'is missing, and its default is after until');
}
