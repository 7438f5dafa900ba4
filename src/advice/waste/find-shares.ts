import type { PromptRow } from '#logs';
import { type CostOf, type Waste, estimateTokens, listMostExpensive, textTokensOf } from './waste.ts';

const LEAST_REQUESTS = 10;
/** Tokens of tools and system in a request. */
const LEAST_TOKENS = 2_000;
const LEAST_PERCENT = 50;

/** Tools and system prompts that make up most of a model's prompts, and their total cost. */
export function findShares(rows: readonly PromptRow[], costOf: CostOf): Waste[] {
  const models = Map.groupBy(rows, ({ modelId }) => modelId);
  return [...models].flatMap(([modelId, own]) => measureShare(modelId, own, costOf));
}

function measureShare(modelId: string, rows: readonly PromptRow[], costOf: CostOf): Waste[] {
  const sum = { all: 0, tools: 0, system: 0, saved: 0n };
  const shown = rows.map((row) => {
    const tools = estimateTokens(row, row.parts.toolLength);
    const system = estimateTokens(row, row.parts.systemLength);
    const cost = costOf(row, { first: tools + system });
    sum.all += textTokensOf(row);
    sum.tools += tools;
    sum.system += system;
    sum.saved += cost;
    return { requestId: row.requestId, cost };
  });
  const head = sum.tools + sum.system;
  const isLarge = head >= LEAST_TOKENS * rows.length && head * 100 >= LEAST_PERCENT * sum.all;
  if (rows.length < LEAST_REQUESTS || !isLarge) return [];
  const percent = (tokens: number): number => Math.round((tokens * 100) / sum.all);
  const [tools, system] = [percent(sum.tools), percent(sum.system)];
  const each = Math.round(head / rows.length);
  return [
    {
      kind: 'prompt_share',
      text: `${modelId}: tools are ${tools} % and system ${system} % of the prompts, ${each} tokens each time`,
      facts: { model_id: modelId, tool_percent: tools, system_percent: system, tokens_per_request: each },
      requests: rows.length,
      saved: sum.saved,
      requestIds: listMostExpensive(shown),
    },
  ];
}
