import type { PromptRow } from '#logs';

/** The requests of one conversation, each with a longer prompt than the one before. */
export type Conversation = readonly PromptRow[];

/**
 * The conversations of sessions and agents, from rows in the order of time. A retry has no more turns than the request before it
 * and is left out; with fewer turns, a conversation begins again.
 */
export function listConversations(rows: readonly PromptRow[]): Conversation[] {
  const open = new Map<string, PromptRow[]>();
  const conversations: PromptRow[][] = [];
  for (const row of rows) {
    const name = JSON.stringify([row.sessionId, row.agentId, row.parts.first]);
    const current = open.get(name);
    const before = current?.at(-1)?.turnCount ?? -1;
    if (current && row.turnCount > before) current.push(row);
    else if (!current || row.turnCount < before) {
      const begun = [row];
      open.set(name, begun);
      conversations.push(begun);
    }
  }
  return conversations;
}

/** Steps of a conversation that repeat those before them. */
export interface Run {
  /** The first and last request whose newest step is a repetition. */
  from: number;
  to: number;
  /** Steps that take turns. */
  period: number;
}

const MOST_STEPS = 4;
/** Repetitions after the first time. */
const LEAST_TIMES = 3;

/** Runs of equal steps: the same calls with the same results, or the same texts, one to four in turn. */
export function findRuns(conversation: Conversation): Run[] {
  const runs: Run[] = [];
  for (let period = 1; period <= MOST_STEPS; period += 1)
    for (const run of findRunsOf(conversation, period))
      if (!runs.some(({ from, to }) => run.from <= to && from <= run.to)) runs.push(run);
  return runs;
}

function findRunsOf(conversation: Conversation, period: number): Run[] {
  const runs: Run[] = [];
  let from = period;
  for (let at = period; at <= conversation.length; at += 1) {
    const step = conversation[at]?.parts.step ?? 0;
    if (step !== 0 && step === conversation[at - period]?.parts.step) continue;
    if (at - from >= LEAST_TIMES * period) runs.push({ from, to: at - 1, period });
    from = at + 1;
  }
  return runs;
}
