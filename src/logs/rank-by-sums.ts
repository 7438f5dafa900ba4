import type { Statement } from '#storage';
import type { RunStatement } from './query-in-time.ts';
import { type UsageQuestion, selectTop } from './select-usage.ts';
import type { GroupNames } from './usage-lists.ts';
import type { UsageDimension } from './usage-groups.ts';

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

/** The combinations of names that cost most, by the sums of all. */
export async function rank(ask: RunStatement, question: UsageQuestion): Promise<RankedNames[]> {
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
