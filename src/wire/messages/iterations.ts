import type { JsonValue } from '#base';
import { type ModelUsage, type Usage, inputTokensOf, outputTokensOf, sumUsages } from '#canonical';
import type { MessagesIteration, MessagesUsage } from './answer-schema.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

type RawIteration = Members<MessagesIteration>;

/** One billed turn inside an answer (`BetaIterationsUsage`). */
interface Iteration {
  type: JsonValue | undefined;
  model?: string;
  usage: Usage;
}

/** Turns whose tokens Anthropic leaves out of the totals. */
const UNCOUNTED: ReadonlySet<JsonValue | undefined> = new Set(['compaction', 'advisor_message']);

/**
 * The usage of each model, from the turns of an answer; nothing if the totals are complete. With an advisor the totals
 * hold the first turn's input only, and after a fallback only the turn that answered (Anthropic's guides to both).
 */
export function listParts(
  iterations: Members<MessagesUsage>['iterations'],
  whole: Usage,
  decode: (raw: RawIteration) => Usage,
): ModelUsage[] | undefined {
  if (!Array.isArray(iterations)) return undefined;
  const turns = itemsOf(iterations)
    .filter(isObject)
    .map((raw) => readIteration(raw, decode));
  const counted = turns.filter(({ type }) => type === 'message' || type === 'fallback_message');
  const others = turns.filter(({ type }) => UNCOUNTED.has(type));
  const own = counted.some(({ type }) => type === 'fallback_message')
    ? listAnswering(counted, whole)
    : [{ usage: largerOf(whole, sumUsages(counted.map(({ usage }) => usage))) }];
  return groupByModel([...own, ...others]);
}

function readIteration(raw: RawIteration, decode: (raw: RawIteration) => Usage): Iteration {
  const { type, model } = raw;
  const usage = decode(raw);
  return typeof model === 'string' && model !== '' ? { type, model, usage } : { type, usage };
}

/** A turn declined before any output is not billed. Searches are reported for the whole answer. */
function listAnswering(turns: readonly Iteration[], whole: Usage): ModelUsage[] {
  const billed = turns.filter(({ type, usage }) => type === 'fallback_message' || outputTokensOf(usage) > 0);
  return billed.map(({ type, model, usage }, at) => ({
    ...(type === 'fallback_message' && model !== undefined && { model }),
    usage: at === billed.length - 1 ? { ...usage, webSearches: whole.webSearches } : usage,
  }));
}

/** The totals are more detailed (cache lifetimes, thinking, searches), unless the turns counted more tokens. */
function largerOf(whole: Usage, turns: Usage): Usage {
  const isMore = inputTokensOf(turns) > inputTokensOf(whole) || outputTokensOf(turns) > outputTokensOf(whole);
  return isMore ? { ...turns, webSearches: whole.webSearches } : whole;
}

function groupByModel(parts: readonly ModelUsage[]): ModelUsage[] {
  const groups = new Map<string | undefined, Usage[]>();
  for (const { model, usage } of parts) groups.set(model, [...(groups.get(model) ?? []), usage]);
  return [...groups].map(([model, usages]) => ({
    ...(model !== undefined && { model }),
    usage: sumUsages(usages),
  }));
}
