import { EFFORTS, type Effort, type ReasoningOptions } from '#canonical';

/** Largest budgets that count as low and as medium effort. */
export const LOW_BUDGET = 2048;
export const MEDIUM_BUDGET = 8192;

/** The effort that reasoning options amount to; `adaptive` without one leaves it to the model. */
export function effortOf(requested: ReasoningOptions): Effort | undefined {
  if (requested.mode === 'off') return 'none';
  if (requested.effort !== undefined) return requested.effort;
  return requested.mode === 'budget' ? effortOfBudget(requested.budgetTokens) : undefined;
}

/** The effort that a budget amounts to. */
export function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= LOW_BUDGET) return 'low';
  return budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** The nearest accepted effort; of two equally near the stronger, so that requested thinking is never turned off. */
export function findNearestEffort(requested: Effort, accepted: readonly Effort[]): Effort | undefined {
  const wanted = EFFORTS.indexOf(requested);
  let nearest: Effort | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (const effort of EFFORTS) {
    const away = Math.abs(EFFORTS.indexOf(effort) - wanted);
    if (away > distance || !accepted.includes(effort)) continue;
    nearest = effort;
    distance = away;
  }
  return nearest;
}
