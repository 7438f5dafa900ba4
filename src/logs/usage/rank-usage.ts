import type { RunStatement } from '../query-in-time.ts';
import { type UsageQuestion, limitTop, selectTop } from './select-usage.ts';
import type { GroupNames } from './usage-lists.ts';
import { MANY, MARGIN, type RankedNames, type RankedSums, WIDER, rank } from './rank-by-sums.ts';
import { rankWithAgent } from './rank-with-agent.ts';
import { isTime } from './usage-groups.ts';

/** The combinations of names that cost most. */
export async function rankUsage(ask: RunStatement, question: UsageQuestion): Promise<GroupNames[]> {
  return (
    (await rankWithAgent(ask, question)) ?? (await rankByOne(ask, question)) ?? (await rank(ask, question))
  );
}

/**
 * Ranks one name first, and then the combinations with its most expensive values: no combination costs more than each of
 * its names. Undefined where that does not decide it.
 */
async function rankByOne(ask: RunStatement, question: UsageQuestion): Promise<GroupNames[] | undefined> {
  const { filter } = question;
  const named = (filter.by ?? []).filter((group) => !isTime(group));
  const first = MANY.find((group) => named.includes(group));
  if (first === undefined || named.length < 2) return undefined;
  const limit = limitTop(filter);
  const wide = { ...filter, by: [first], top: limit * WIDER };
  const values = await rank(ask, { ...question, filter: wide });
  const last = values[limitTop(wide) - 1];
  if (last === undefined) return undefined; // there are not many
  const only = { group: first, values: values.map(({ by_0: value = '' }) => value) };
  const top = await ask<RankedNames>(selectTop({ ...question, only }));
  const least = top[limit - 1];
  return least !== undefined && isAhead(least, last) ? top : undefined;
}

/** Whether one is ranked before the other, and before what is ranked behind that. */
function isAhead(one: RankedSums, other: RankedSums): boolean {
  if (one.ranked_cost === other.ranked_cost) return one.ranked_requests > other.ranked_requests;
  return one.ranked_cost > other.ranked_cost * MARGIN;
}
