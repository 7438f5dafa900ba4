import type { Statement } from '#storage';
import type { RunStatement } from '../query-in-time.ts';
import { type UsageQuestion, limitTop, selectAgents, selectTop } from './select-usage.ts';
import type { GroupNames } from './usage-lists.ts';
import { USAGE_FILTERS, type UsageDimension, isTime } from './usage-groups.ts';

/** A hundred thousand groups are sorted faster than hashed; fewer are hashed faster. */
const HASHES_OFF = { text: "SELECT set_config('enable_hashagg', 'off', true)" };
const HASHES_ON = { text: "SELECT set_config('enable_hashagg', 'on', true)" };

/** Names with nearly as many values as there are combinations with them, those with the most first. */
export const MANY: readonly UsageDimension[] = ['turn', 'agent', 'session', 'run'];
/** So many times the wanted combinations are listed of one name. */
export const WIDER = 4;
/** Sums of doubles in another order differ by less. */
export const MARGIN = 1 + 1e-9;

export interface RankedSums {
  ranked_cost: number;
  ranked_requests: number;
}
export type RankedNames = GroupNames & RankedSums;

/** More agents than this are summed up with all others, in their order. */
const MOST_AGENTS = 20_000;

/** The combinations of names that cost most, by the sums of all. */
export async function rank(ask: RunStatement, question: UsageQuestion): Promise<RankedNames[]> {
  return (await rankAgents(ask, question)) ?? rankAll(ask, question);
}

/**
 * Ranks those agents whose lines cost most, and those with several lines: nearly all have one. Undefined for other reports, and
 * where these do not decide it.
 */
async function rankAgents(ask: RunStatement, question: UsageQuestion): Promise<RankedNames[] | undefined> {
  const { filter } = question;
  const named = (filter.by ?? []).filter((group) => !isTime(group));
  const limit = limitTop(filter);
  const lines = limit * WIDER;
  if (named.join() !== 'agent' || filter.organizationId === undefined || isFiltered(filter)) return undefined;
  const statement = lines > MOST_AGENTS ? undefined : selectAgents(question, { lines, others: MOST_AGENTS });
  if (statement === undefined) return undefined;
  const found = await ask<{ by_0: string; ranked_cost: number | null }>(statement);
  const costs = found.flatMap(({ ranked_cost: cost }) => cost ?? []);
  // There are not many agents, or too many with several lines.
  if (costs.length < lines || found.length === lines + MOST_AGENTS) return undefined;
  const values = [...new Set(found.map(({ by_0: name }) => name))];
  const top = await ask<RankedNames>(selectTop({ ...question, only: { group: 'agent', values } }));
  const least = top[limit - 1];
  return least !== undefined && isAbove(least, [{ ranked_cost: Math.min(...costs) }]) ? top : undefined;
}

/** Whether a report has filters beside its organization. */
export const isFiltered = (filter: UsageQuestion['filter']): boolean =>
  USAGE_FILTERS.some((name) => filter[name] !== undefined && name !== 'organizationId');

type Cost = Pick<RankedNames, 'ranked_cost'>;

export const isAbove = (one: Cost, others: readonly (Cost | undefined)[]): boolean =>
  others.every((other) => other === undefined || one.ranked_cost > other.ranked_cost * MARGIN);

async function rankAll(ask: RunStatement, question: UsageQuestion): Promise<RankedNames[]> {
  const { by = [] } = question.filter;
  const isSorted = MANY.some((group) => by.includes(group)) || by.join() === 'parent-agent';
  if (!isSorted) return ask<RankedNames>(selectTop(question));
  return askInOrder<RankedNames>(ask, selectTop({ ...question, isSorted }));
}

export async function askInOrder<Row>(ask: RunStatement, statement: Statement): Promise<Row[]> {
  await ask(HASHES_OFF);
  const rows = await ask<Row>(statement);
  await ask(HASHES_ON);
  return rows;
}
