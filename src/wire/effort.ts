import type { Effort, ReasoningWish } from '#canonical';

const STRENGTH: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/** Budgets up to which a wish counts as low and as medium effort. */
export const LOW_BUDGET = 2048;
export const MEDIUM_BUDGET = 8192;

/** The effort a wish amounts to; `adaptive` without one leaves it to the model. */
export function effortOf(wish: ReasoningWish): Effort | undefined {
  if (wish.mode === 'off') return 'none';
  if (wish.effort !== undefined) return wish.effort;
  if (wish.mode !== 'budget' || wish.budgetTokens === undefined) return undefined;
  if (wish.budgetTokens <= LOW_BUDGET) return 'low';
  return wish.budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The nearest effort a model accepts; of two as near, the stronger, so that a wish to think never turns thinking off. */
export function nearestEffort(wish: Effort, efforts: readonly Effort[]): Effort {
  const wanted = STRENGTH.indexOf(wish);
  let nearest = wish;
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
