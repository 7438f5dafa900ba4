import { formatCount } from '#base';
import type { CallPart, PromptRow, ToolSample } from '#logs';
import { type Conversation, findRuns, listConversations } from './conversations.ts';
import { listToolNames } from './tool-names.ts';
import { type CostOf, MOST_IDS, type Waste, estimateTokens } from './waste.ts';

/** Shorter results cost nothing worth a finding. */
const LEAST_LENGTH = 400;
const LEAST_TIMES = 3;
const SHOWN_TOOLS = 3;

/**
 * Conversations that call a tool with the same arguments for the same result three times or more. Each repetition costs
 * its results as input, in the request that adds them and in all that follow. Loops are findings of their own.
 */
export function findRepeats(rows: readonly PromptRow[], costOf: CostOf): Waste[] {
  const names = listToolNames(rows);
  return listConversations(rows).flatMap((conversation) => {
    const added = listAdded(conversation);
    const repeats = added.map((calls) => calls.reduce((sum, { length }) => sum + length, 0));
    return repeats.some((length) => length > 0) ? [createWaste(conversation, added, { names, costOf })] : [];
  });
}

/** The repeated calls whose results each request adds. */
function listAdded(conversation: Conversation): CallPart[][] {
  const runs = findRuns(conversation);
  const considered = conversation.map(({ parts }, at) =>
    runs.some(({ from, to }) => from <= at && at <= to)
      ? []
      : parts.calls.filter(({ length }) => length >= LEAST_LENGTH),
  );
  const times = new Map<number, number>();
  for (const { hash } of considered.flat()) times.set(hash, (times.get(hash) ?? 0) + 1);
  const seen = new Set<number>();
  return considered.map((calls) =>
    calls.filter(({ hash }) => {
      const isRepeated = seen.has(hash) && (times.get(hash) ?? 0) >= LEAST_TIMES;
      seen.add(hash);
      return isRepeated;
    }),
  );
}

interface Around {
  names: Map<number, ToolSample>;
  costOf: CostOf;
}

function createWaste(
  conversation: Conversation,
  added: readonly (readonly CallPart[])[],
  { names, costOf }: Around,
): Waste {
  let saved = 0n;
  let carried = 0;
  let requests = 0;
  for (const [at, row] of conversation.entries()) {
    const length = (added[at] ?? []).reduce((sum, call) => sum + call.length, 0);
    if (length + carried > 0) requests += 1;
    saved += costOf(row, { first: estimateTokens(row, carried), last: estimateTokens(row, length) });
    carried += length;
  }
  const shown = conversation.filter((_, at) => (added[at]?.length ?? 0) > 0);
  const calls = added.flat().length;
  const tools = nameTools(conversation, added, names);
  return {
    kind: 'repeated_reads',
    ...(conversation[0] && { sessionId: conversation[0].sessionId }),
    text: `${formatCount(calls, 'call')} repeated with the same arguments and result: ${tools.slice(0, SHOWN_TOOLS).join(', ')}`,
    facts: { calls, tools },
    requests,
    saved,
    requestIds: shown.slice(0, MOST_IDS).map(({ requestId }) => requestId),
  };
}

/** The tools of the calls, in the order of the conversation. */
function nameTools(
  conversation: Conversation,
  added: readonly (readonly CallPart[])[],
  names: Map<number, ToolSample>,
): string[] {
  const found = conversation.flatMap(({ toolNames }, at) =>
    (added[at] ?? []).map(({ tool }) => names.get(toolNames[tool] ?? -1)?.name ?? `tool ${tool + 1}`),
  );
  return [...new Set(found)];
}
