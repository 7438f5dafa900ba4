import type { JsonObject } from '#base';
import type { Effort, ReasoningOptions, Target } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOf, nearestEffort } from '../effort.ts';

const BUDGETS: Partial<Record<Effort, number>> = { minimal: 1024, low: LOW_BUDGET, medium: MEDIUM_BUDGET };

/** Encodes reasoning options in the dialect's field; empty if the target does not support them. */
export function encodeReasoning(requested: ReasoningOptions, target: Target): JsonObject {
  const { reasoningField: field, efforts } = target.dialect;
  if (!target.reasoning || field === 'none') return {};
  const effort = effortOf(requested);
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
        : { enable_thinking: true, ...budgetOf(requested, effort, 'thinking_budget') };
    case 'thinking':
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      return {
        thinking: {
          type: 'enabled',
          budget_tokens: MEDIUM_BUDGET,
          ...budgetOf(requested, effort, 'budget_tokens'),
        },
      };
    case 'reasoningConfig':
    case 'thinkingLevel':
    case 'thinkingBudget':
      return {};
  }
}

function budgetOf(requested: ReasoningOptions, effort: Effort, field: string): JsonObject {
  const budget = requested.budgetTokens ?? BUDGETS[effort];
  return budget === undefined ? {} : { [field]: Math.max(1024, budget) };
}
