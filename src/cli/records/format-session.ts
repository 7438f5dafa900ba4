import type { SessionAgent, SessionLine, SessionSums, SessionTree, TurnOutcome } from '#app';
import { describeMiss, shareCached } from '#app';
import { formatTime, formatUsd, formatCount } from '#base';
import type { RecordNames } from '../terminal/names.ts';
import { formatTable } from '../terminal/table.ts';
import { TOKEN_COLUMNS, formatTokens } from './format-tokens.ts';

const COLUMNS = [...TOKEN_COLUMNS, 'reasoning', 'cache', 'retries', 's', 'usd'];

/** A session as a tree: agents with their totals, turns with their own. */
export function formatSession(tree: SessionTree, withTurns: boolean): string[] {
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
  return [heading, ...formatTable(['of', ...columns], rows), ...formatMisses(main), ...saved];
}

/** The requests that missed the prompt cache, with their sum. */
function formatMisses(main: SessionAgent): string[] {
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
  const table = formatTable(['missed by', 'tokens', 'usd', 'request', 'reason'], rows);
  return [
    '',
    ...table,
    `not read from prompt caches: ${formatCount(missedTokens, 'token')}, ${formatUsd(missedCost)} USD more`,
  ];
}

/** Sessions as a table. */
export function formatSessions(lines: readonly SessionLine[], names: RecordNames): string[] {
  return formatTable(
    [
      'session',
      'key',
      'client',
      'last request',
      'requests',
      'failed',
      'agents',
      ...TOKEN_COLUMNS,
      'cache',
      'usd',
      'user',
    ],
    lines.map((line) => [
      line.sessionId,
      line.keyIds.map((id) => names.showShort(id)).join(', '),
      line.clientName ?? '–',
      formatTime(line.lastAt),
      String(line.requests),
      String(line.failed),
      String(line.agents),
      ...formatTokens(line.usage),
      formatShare(line.usage),
      formatUsd(line.customer),
      line.endUserId ?? '–',
    ]),
  );
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

function formatFigures({ usage, retries, durationMs, customer }: SessionSums): string[] {
  return [
    ...formatTokens(usage),
    String(usage.outputReasoning),
    formatShare(usage),
    String(retries),
    (durationMs / 1_000).toFixed(1),
    formatUsd(customer),
  ];
}

function formatShare(usage: SessionSums['usage']): string {
  const share = shareCached(usage);
  return share === undefined ? '–' : `${(share * 100).toFixed(0)} %`;
}
