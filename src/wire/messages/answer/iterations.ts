import type { JsonValue } from '#base';
import {
  INPUT_PARTS,
  type ModelUsage,
  type Usage,
  inputTokensOf,
  outputTokensOf,
  sumUsages,
} from '#canonical';
import type { MessagesIteration, MessagesUsage } from './answer-schema.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

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
 * The usage of each turn, with its model where it is another; nothing if no turns are reported. With an advisor the totals hold the
 * first turn's input only, and after a fallback only the turn that answered (Anthropic's guides to both).
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
    : listTurns(
        counted.map(({ usage }) => usage),
        whole,
      );
  return [...own, ...others].map(({ model, usage }) => ({ ...(model !== undefined && { model }), usage }));
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

/**
 * The turns, unless the totals count more tokens or other kinds of input. The totals have more detail about the output (thinking, searches).
 */
function listTurns(turns: readonly Usage[], whole: Usage): ModelUsage[] {
  const sum = sumUsages(turns);
  const isMore = inputTokensOf(sum) > inputTokensOf(whole) || outputTokensOf(sum) > outputTokensOf(whole);
  const isSame =
    outputTokensOf(sum) === outputTokensOf(whole) && INPUT_PARTS.every((part) => sum[part] === whole[part]);
  if (turns.length === 0 || (!isMore && !isSame)) return [{ usage: whole }];
  let thinking = isMore ? 0 : Math.max(0, whole.outputReasoning - sum.outputReasoning);
  return turns.map((usage, at) => {
    const thought = Math.min(thinking, usage.outputText);
    thinking -= thought;
    const outputText = usage.outputText - thought;
    const outputReasoning = usage.outputReasoning + thought;
    const webSearches = at === turns.length - 1 ? whole.webSearches : 0;
    return { usage: { ...usage, outputText, outputReasoning, webSearches } };
  });
}
