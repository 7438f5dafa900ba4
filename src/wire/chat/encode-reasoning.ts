import type { JsonObject } from '#base';
import type { Effort, ReasoningWish, Target } from '#canonical';

const STRENGTH: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const LOW_BUDGET = 2048;
const MEDIUM_BUDGET = 8192;
const BUDGETS: Partial<Record<Effort, number>> = { minimal: 1024, low: LOW_BUDGET, medium: MEDIUM_BUDGET };

/** A wish for reasoning in the field of the dialect; nothing where the target takes no such wish. */
export function encodeReasoning(wish: ReasoningWish, target: Target): JsonObject {
  const { reasoningField: field, efforts } = target.dialect;
  if (!target.reasoning || field === 'none') return {};
  const effort = effortOf(wish);
  if (effort === undefined) return {};
  switch (field) {
    case 'reasoning_effort':
      return efforts.length === 0 ? {} : { reasoning_effort: nearestEffort(effort, efforts) };
    case 'reasoning.effort':
      return efforts.length === 0 ? {} : { reasoning: { effort: nearestEffort(effort, efforts) } };
    case 'thinking.type':
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      return {
        thinking: { type: 'enabled' },
        ...(efforts.length > 0 && { reasoning_effort: nearestEffort(effort, efforts) }),
      };
    case 'enable_thinking':
      return effort === 'none'
        ? { enable_thinking: false }
        : { enable_thinking: true, ...budgetOf(wish, effort, 'thinking_budget') };
    case 'thinking':
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      return {
        thinking: {
          type: 'enabled',
          budget_tokens: MEDIUM_BUDGET,
          ...budgetOf(wish, effort, 'budget_tokens'),
        },
      };
    case 'thinkingLevel':
    case 'thinkingBudget':
      return {};
  }
}

/** The effort a wish amounts to; `adaptive` without one leaves it to the model. */
function effortOf(wish: ReasoningWish): Effort | undefined {
  if (wish.mode === 'off') return 'none';
  if (wish.effort !== undefined) return wish.effort;
  if (wish.mode !== 'budget' || wish.budgetTokens === undefined) return undefined;
  if (wish.budgetTokens <= LOW_BUDGET) return 'low';
  return wish.budgetTokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}

function budgetOf(wish: ReasoningWish, effort: Effort, field: string): JsonObject {
  const budget = wish.budgetTokens ?? BUDGETS[effort];
  return budget === undefined ? {} : { [field]: Math.max(1024, budget) };
}

/** The nearest effort a model accepts; of two as near, the stronger, so that a wish to think never turns thinking off. */
function nearestEffort(wish: Effort, efforts: readonly Effort[]): Effort {
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
