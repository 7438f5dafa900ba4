import { type JsonValue, isJsonObject } from '#base';
import { ToolTally, type ToolUse, isBelievable, toCount } from '#canonical';
import type { ReadUsage } from './answer-schema.ts';

/** Searches counted from usage: for Perplexity one search by context size, for xAI the number of sources used. */
export function findToolUses(usage: JsonValue | undefined): ToolUse[] | undefined {
  if (!isJsonObject(usage) || !isBelievable(usage)) return undefined;
  const { search_context_size: size, num_sources_used: sources }: ReadUsage = usage;
  if (typeof size !== 'string' && sources === undefined) return undefined;
  const tally = new ToolTally();
  if (typeof size === 'string') tally.add('web_search', { kind: size.slice(0, 40) });
  tally.add('live_search', { count: toCount(sources) });
  return tally.uses;
}
