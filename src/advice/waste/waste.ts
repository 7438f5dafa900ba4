import type { JsonObject, PicoUsd } from '#base';
import type { PromptRow } from '#logs';

export const WASTE_KINDS = ['runaway_loop', 'repeated_reads', 'unused_tools', 'prompt_share'] as const;

export type WasteKind = (typeof WASTE_KINDS)[number];

/** Avoidable costs of the requests of a project's sessions. */
export interface Waste {
  kind: WasteKind;
  /** Absent if it concerns several. */
  sessionId?: string;
  /** As a sentence, and as members of JSON. */
  text: string;
  facts: JsonObject;
  requests: number;
  saved: PicoUsd;
  /** Requests that show it, at most `MOST_IDS`. */
  requestIds: readonly string[];
}

/** The cost of some tokens of a row. */
export type CostOf = (row: PromptRow, tokens: RemovedTokens) => PicoUsd;

export interface RemovedTokens {
  /** At the beginning of the prompt, which is read from a cache first. */
  first?: number;
  /** At its end, which is read last. */
  last?: number;
}

export const MOST_IDS = 20;

/** The ids of the most expensive ones. */
export function listMostExpensive(rows: readonly { requestId: string; cost: PicoUsd }[]): string[] {
  const sorted = rows.toSorted((a, b) => Number(b.cost - a.cost));
  return sorted.slice(0, MOST_IDS).map(({ requestId }) => requestId);
}

/** Tokens of this many characters of a prompt, by their share of it; images and audio are counted apart. */
export function estimateTokens({ usage, parts }: PromptRow, length: number): number {
  const all = parts.toolLength + parts.systemLength + parts.turnLength;
  return all === 0 ? 0 : Math.floor((textTokensOf({ usage }) * Math.min(length, all)) / all);
}

export function textTokensOf({ usage }: Pick<PromptRow, 'usage'>): number {
  const { inputUncached, inputCacheRead, inputCacheWrite5m, inputCacheWrite1h } = usage;
  return inputUncached + inputCacheRead + inputCacheWrite5m + inputCacheWrite1h;
}
