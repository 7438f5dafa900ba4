import type { ReasoningOptions } from '#canonical';

/** How much a client asks a model to think, with the values of OpenRouter; null counts as absent. */
interface AskedThinking {
  effort?: ReasoningOptions['effort'] | null | undefined;
  budgetTokens?: number | null | undefined;
  isOn?: boolean | null | undefined;
}

/** The effort of thinking that is only switched on, as at OpenRouter. */
const DEFAULT_EFFORT = 'medium';

/** Empty if nothing is asked for. */
export function decodeThinking({ effort, budgetTokens, isOn }: AskedThinking): ReasoningOptions {
  if (effort === 'none' || budgetTokens === 0 || isOn === false) return { mode: 'off', effort: 'none' };
  const hasBudget = typeof budgetTokens === 'number';
  const wanted = effort ?? (isOn === true && !hasBudget ? DEFAULT_EFFORT : undefined);
  return { ...(hasBudget && { mode: 'budget', budgetTokens }), ...(wanted && { effort: wanted }) };
}
