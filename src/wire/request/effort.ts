import type { Effort, ReasoningOptions } from '#canonical';

const STRENGTH: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/** Largest budgets that count as low and as medium effort. */
export const LOW_BUDGET = 2048;
export const MEDIUM_BUDGET = 8192;

/** The effort that reasoning options amount to; `adaptive` without one leaves it to the model. */
export function effortOf(requested: ReasoningOptions): Effort | undefined {
  if (requested.mode === 'off') return 'none';
  if (requested.effort !== undefined) return requested.effort;
  if (requested.mode !== 'budget' || requested.budgetTokens === undefined) return undefined;
  if (requested.budgetTokens <= LOW_BUDGET) return 'low';
  return requested.budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The nearest accepted effort; of two equally near the stronger, so that requested thinking is never turned off. */
export function nearestEffort(requested: Effort, efforts: readonly Effort[]): Effort {
  const wanted = STRENGTH.indexOf(requested);
  let nearest = requested;
  let distance = Number.POSITIVE_INFINITY;
  for (const effort of efforts) {
    const strength = STRENGTH.indexOf(effort);
    const away = Math.abs(strength - wanted);
    if (away < distance || (away === distance && strength > STRENGTH.indexOf(nearest))) {
      nearest = effort;
      distance = away;
    }
  }
  return nearest;
}
