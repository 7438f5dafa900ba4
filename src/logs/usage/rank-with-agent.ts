import type { RunStatement } from '../query-in-time.ts';
import {
  type AgentPair,
  type UsageQuestion,
  hasBound,
  limitTop,
  selectRanks,
  selectTop,
} from './select-usage.ts';
import { type RankedNames, WIDER, askInOrder, isAbove, isFiltered, rank } from './rank-by-sums.ts';
import type { GroupNames } from './usage-lists.ts';
import { type UsageGroup, isTime } from './usage-groups.ts';

const AGENTS: readonly UsageGroup[] = ['agent', 'parent-agent'] satisfies AgentPair['agent'][];
const OTHERS: readonly UsageGroup[] = [
  'session',
  'run',
  'turn',
  'user',
  'token',
] satisfies AgentPair['other'][];

/** So many times the wanted combinations are ranked of the other name. */
const WIDEST = 40;

/**
 * The most expensive combinations of an agent and another name of which there are many. Undefined for other reports, and where
 * sums of a few of each do not decide it.
 */
export async function rankWithAgent(
  ask: RunStatement,
  question: UsageQuestion,
): Promise<GroupNames[] | undefined> {
  const pair = findPair(question);
  if (pair === undefined) return undefined;
  return hasBound(pair.other) ? rankByBound(ask, question, pair) : rankApart(ask, question, pair);
}

function findPair({ filter }: UsageQuestion): AgentPair | undefined {
  const named = (filter.by ?? []).filter((group) => !isTime(group));
  const agent = named.find((group): group is AgentPair['agent'] => AGENTS.includes(group));
  const other = named.find((group): group is AgentPair['other'] => OTHERS.includes(group));
  if (named.length !== 2 || agent === undefined || other === undefined) return undefined;
  return isFiltered(filter) ? undefined : { agent, other };
}

/**
 * Sums up the combinations of the first others, and again of all that may have one that costs more than the last of these: what an
 * agent costs in a turn that lasts over midnight is not known, only that it is no more than the most of both days.
 */
async function rankByBound(
  ask: RunStatement,
  question: UsageQuestion,
  pair: AgentPair,
): Promise<RankedNames[] | undefined> {
  const limit = limitTop(question.filter);
  const others = await askInOrder<RankedNames>(ask, selectRanks(question, pair, limit * WIDEST));
  const rankAmong = async (count: number): Promise<RankedNames[]> => {
    const values = others.slice(0, count).map(({ by_0: value = '' }) => value);
    return ask<RankedNames>(selectTop({ ...question, only: { group: pair.other, values } }));
  };
  const top = await rankAmong(limit * WIDER);
  const least = top[limit - 1];
  if (least === undefined) return undefined;
  const enough = others.findIndex((other) => isAbove(least, [other]));
  if (enough === -1) return undefined; // there are not many, or they cost about the same
  return enough <= limit * WIDER ? top : rankAmong(enough);
}

/**
 * Ranks what requests without an agent cost each end user, and agents: one that reports an agent at all does so for few end
 * users, and combinations without an agent are as many as there are end users.
 */
async function rankApart(
  ask: RunStatement,
  question: UsageQuestion,
  pair: AgentPair,
): Promise<GroupNames[] | undefined> {
  const { filter } = question;
  const limit = limitTop(filter);
  const without = await askInOrder<RankedNames>(ask, selectRanks(question, pair, limit + 1));
  const wide = { ...filter, by: [pair.agent], top: limit * WIDER };
  const agents = await rank(ask, { ...question, filter: wide });
  const [lastWithout, lastAgent] = [without[limit], agents[limit * WIDER - 1]];
  if (lastWithout === undefined || lastAgent === undefined) return undefined;
  const values = agents.flatMap(({ by_0: value = '' }) => (value === '' ? [] : [value]));
  const named = await ask<RankedNames>(selectTop({ ...question, only: { group: pair.agent, values } }));
  const nameOf = (group: UsageGroup): string => `by_${filter.by?.indexOf(group)}`;
  const unnamed = without.map(({ by_0: value = '', ranked_cost }) => ({
    [nameOf(pair.agent)]: '',
    [nameOf(pair.other)]: value,
    ranked_cost,
  }));
  const all = [...named, ...unnamed.slice(0, limit)] as RankedNames[];
  const ranked = all.toSorted((one, other) => other.ranked_cost - one.ranked_cost);
  const [least, next] = [ranked[limit - 1], ranked[limit]];
  if (least === undefined || !isAbove(least, [next, lastWithout, lastAgent])) return undefined;
  return ranked.slice(0, limit);
}
