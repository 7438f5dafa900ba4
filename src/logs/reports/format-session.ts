import { formatTime, formatUsd, formatCount } from '#base';
import type { TextTable } from '#fields';
import { describeMiss } from '../rows/miss.ts';
import type { SessionAgent, SessionSums, SessionTree, TurnOutcome } from '../sessions/session-tree.ts';
import { formatShare } from '../session-type.ts';
import { TOKEN_COLUMNS } from '../token-members.ts';

const COLUMNS = [...Object.keys(TOKEN_COLUMNS), 'reasoning', 'cache', 'retries', 's', 'usd'];

/** A session as a tree: agents with their totals, turns with their own. */
export function formatSession(tree: SessionTree, withTurns: boolean): (string | TextTable)[] {
  const { main, clientName = 'unknown client', clientVersion = '' } = tree;
  const { startedAt, endedAt } = main.total;
  const seconds = ((endedAt - startedAt) / 1_000).toFixed(1);
  const { failed } = main.total;
  const failures = failed === 0 ? '' : `, ${formatCount(failed, 'request')} failed`;
  const heading = `${tree.sessionId}: ${`${clientName} ${clientVersion}`.trim()}, ${formatTime(startedAt)}, ${seconds} s${failures}`;
  const { columns, cellsOf } = createCells(failed > 0);
  const rows: string[][] = [];
  const addAgent = (agent: SessionAgent, begin: string, indent: string): void => {
    const name = agent.agentId === undefined ? 'session' : `agent ${agent.agentId}`;
    rows.push([`${begin}${name}`, ...cellsOf(agent.total)]);
    const branches = [
      ...(withTurns ? agent.turns.map((turn, at) => ({ turn, at, startedAt: turn.startedAt })) : []),
      ...agent.agents.map((child) => ({ child, startedAt: child.total.startedAt })),
    ].toSorted((a, b) => a.startedAt - b.startedAt);
    for (const [place, branch] of branches.entries()) {
      const isLast = place === branches.length - 1;
      const own = `${indent}${isLast ? '└─ ' : '├─ '}`;
      if ('child' in branch) addAgent(branch.child, own, `${indent}${isLast ? '   ' : '│  '}`);
      else rows.push([`${own}turn ${branch.at + 1}`, ...cellsOf(branch.turn, branch.turn.outcome)]);
    }
  };
  addAgent(main, '', '');
  const { cacheSaved } = main.total;
  const saved =
    cacheSaved === undefined
      ? []
      : ['', `saved by the cache marks that were set: ${formatUsd(cacheSaved)} USD`];
  return [heading, { heading: ['of', ...columns], rows }, ...formatMisses(main), ...saved];
}

/** The requests that missed the prompt cache, with their sum. */
function formatMisses(main: SessionAgent): (string | TextTable)[] {
  const { misses, missedTokens, missedCost } = main.total;
  if (misses === 0) return [];
  const rows: string[][] = [];
  const addAgent = ({ agentId, turns, agents }: SessionAgent): void => {
    for (const [at, { cacheMisses }] of turns.entries())
      for (const { requestId, miss } of cacheMisses) {
        const place = `${agentId === undefined ? '' : `agent ${agentId}, `}turn ${at + 1}`;
        const { tokens, cost } = miss;
        rows.push([place, String(tokens), formatUsd(BigInt(cost)), requestId, describeMiss(miss)]);
      }
    for (const agent of agents) addAgent(agent);
  };
  addAgent(main);
  return [
    '',
    { heading: ['missed by', 'tokens', 'usd', 'request', 'reason'], rows },
    `not read from prompt caches: ${formatCount(missedTokens, 'token')}, ${formatUsd(missedCost)} USD more`,
  ];
}

/** Columns of failures only where something failed: without them a tree fits on more terminals. */
function createCells(hasFailed: boolean): {
  columns: readonly string[];
  cellsOf(sums: SessionSums, outcome?: TurnOutcome): string[];
} {
  const only = (...cells: string[]): string[] => (hasFailed ? cells : []);
  return {
    columns: ['requests', ...only('failed'), ...COLUMNS, ...only('ended'), 'model'],
    cellsOf: (sums, outcome) => [
      String(sums.requests),
      ...only(String(sums.failed)),
      ...formatFigures(sums),
      ...only(outcome ? formatOutcome(outcome) : ''),
      sums.models.join(', '),
    ],
  };
}

const formatOutcome = ({ status, errorCode = '' }: TurnOutcome): string => `${status} ${errorCode}`.trim();

function formatFigures(sums: SessionSums): string[] {
  const { usage, retries, durationMs, customer } = sums;
  return [
    ...Object.values(TOKEN_COLUMNS).map((show) => show(sums)),
    String(usage.outputReasoning),
    formatShare(usage),
    String(retries),
    (durationMs / 1_000).toFixed(1),
    formatUsd(customer),
  ];
}
