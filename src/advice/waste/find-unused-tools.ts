import type { PromptRow, ToolSample } from '#logs';
import { formatFirst } from '#base';
import { listConversations } from './conversations.ts';
import { listToolNames } from './tool-names.ts';
import { type CostOf, type Waste, estimateTokens, listMostExpensive } from './waste.ts';

const LEAST_SESSIONS = 3;
const SHOWN_TOOLS = 5;

/**
 * Tools that a project sends in three sessions or more and that no prompt of it has called. A session that ends with a
 * call does not count: the called tool is in no prompt, and where that is usual nothing is known about a tool.
 */
export function findUnusedTools(rows: readonly PromptRow[], costOf: CostOf): Waste[] {
  const unused = listUnused(rows);
  if (unused.size === 0) return [];
  let saved = 0n;
  const lengths = new Map<string, number>();
  const shown: { requestId: string; cost: bigint }[] = [];
  for (const row of rows) {
    const tools = Array.from(row.toolNames, (hash) => unused.get(hash)).filter((tool) => tool !== undefined);
    if (tools.length === 0) continue;
    for (const { name, length } of tools) lengths.set(name, (lengths.get(name) ?? 0) + length);
    const length = tools.reduce((sum, tool) => sum + tool.length, 0);
    const cost = costOf(row, { first: estimateTokens(row, length) });
    shown.push({ requestId: row.requestId, cost });
    saved += cost;
  }
  const names = [...lengths].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return [
    {
      kind: 'unused_tools',
      text: `tools never called: ${formatFirst(names, SHOWN_TOOLS)}`,
      facts: { tools: names },
      requests: shown.length,
      saved,
      requestIds: listMostExpensive(shown),
    },
  ];
}

interface Sent {
  ended: Set<string>;
  open: Set<string>;
}

/** By the hashes of their names, the tools whose length is known. */
function listUnused(rows: readonly PromptRow[]): Map<number, ToolSample> {
  const open = new Set(
    listConversations(rows).flatMap((conversation) => {
      const last = conversation.at(-1);
      return last?.finishReason === 'tool_calls' ? [last.sessionId] : [];
    }),
  );
  const sent = new Map<number, Sent>();
  const called = new Set<number>();
  for (const { sessionId, toolNames, parts } of rows) {
    for (const tool of parts.called) called.add(toolNames[tool] ?? -1);
    for (const hash of toolNames) {
      const sessions = sent.get(hash) ?? { ended: new Set(), open: new Set() };
      sessions[open.has(sessionId) ? 'open' : 'ended'].add(sessionId);
      sent.set(hash, sessions);
    }
  }
  const names = listToolNames(rows);
  const unused = [...sent].flatMap(([hash, sessions]): [number, ToolSample][] => {
    const tool = names.get(hash);
    const isKnown = sessions.ended.size >= LEAST_SESSIONS && sessions.open.size * 2 <= sessions.ended.size;
    return tool && isKnown && !called.has(hash) ? [[hash, tool]] : [];
  });
  return new Map(unused);
}
