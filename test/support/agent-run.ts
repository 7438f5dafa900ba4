import { type AgentSession, OPUS, runAgentSession } from './agent-sessions.ts';
import { openInProcess } from './in-process.ts';
import { startMockUpstream } from './mock-upstream.ts';

interface AgentPlan {
  seed: number;
  count: number;
  report?(line: string): void;
}

interface AgentFigures {
  sessions: number;
  answers: number;
  /** Shares of the budget, in percent: the smallest and the median. */
  least: number;
  median: number;
  leastAtWorstCase: number;
  medianAtWorstCase: number;
  overspent: number;
  /** Sessions that ended in a refusal, and those whose last answer ended at a limit. */
  refused: number;
  ended: number;
  /** Sessions that holds of the worst case refuse with more than a tenth of the budget unspent. */
  refusedAtWorstCase: number;
}

const AT_ONCE = 4;
const REPORT_EVERY = 20;

/** Runs agent sessions until their budgets end, and compares what was usable with holds of the worst case. */
export async function runAgentPlan({ seed, count, report }: AgentPlan): Promise<AgentFigures> {
  await using upstream = await startMockUpstream();
  await using gateway = await openInProcess({
    config: `providers:\n  - { id: opus, format: messages, baseUrl: "${upstream.baseUrl}", apiKey: k, models: [{ id: opus, ${OPUS} }] }\n`,
  });
  const sessions: AgentSession[] = [];
  let next = seed;
  const work = async (): Promise<void> => {
    while (next < seed + count) {
      sessions.push(await runAgentSession({ seed: next++, gateway, upstream, model: 'opus' }));
      if (sessions.length % REPORT_EVERY === 0) report?.(describe(sessions));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const differences = await gateway.accounts.ledger.check();
  if (differences.length > 0) throw new Error(`the books differ: ${JSON.stringify(differences.slice(0, 3))}`);
  return summarize(sessions);
}

function summarize(sessions: readonly AgentSession[]): AgentFigures {
  const shares = sessions.map(({ spent, budget }) => percent(spent, budget)).sort((a, b) => a - b);
  const worst = sessions
    .map(({ spentAtWorstCase, budget }) => percent(spentAtWorstCase, budget))
    .sort((a, b) => a - b);
  const middle = Math.floor(sessions.length / 2);
  return {
    sessions: sessions.length,
    answers: sessions.reduce((sum, { answers }) => sum + answers, 0),
    least: shares[0] ?? 0,
    median: shares[middle] ?? 0,
    leastAtWorstCase: worst[0] ?? 0,
    medianAtWorstCase: worst[middle] ?? 0,
    overspent: sessions.filter(({ spent, budget }) => spent > budget).length,
    refused: sessions.filter(({ isRefused }) => isRefused).length,
    ended: sessions.filter(({ endedInAnswer }) => endedInAnswer).length,
    refusedAtWorstCase: worst.filter((share) => share < 90).length,
  };
}

const percent = (part: bigint, whole: bigint): number => Number((part * 1_000n) / whole) / 10;

function describe(sessions: readonly AgentSession[]): string {
  const { sessions: count, answers, least, median } = summarize(sessions);
  return `${count} sessions, ${answers} answers, usable: median ${median} %, least ${least} %`;
}
