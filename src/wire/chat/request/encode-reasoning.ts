import type { Effort, ReasoningOptions, Target } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOf, findNearestEffort } from '../../request/effort.ts';

const BUDGETS: Partial<Record<Effort, number>> = { minimal: 1024, low: LOW_BUDGET, medium: MEDIUM_BUDGET };

/** Where dialects take reasoning options. */
type ReasoningFields = {
  reasoning_effort?: Effort;
  reasoning?: { effort: Effort };
  thinking?: { type: 'enabled' | 'disabled'; budget_tokens?: number };
  enable_thinking?: boolean;
  thinking_budget?: number;
};

/** Encodes reasoning options in the dialect's field; empty if the target does not support them. */
export function encodeReasoning(requested: ReasoningOptions, target: Target): ReasoningFields {
  const { reasoningField: field, efforts } = target.dialect;
  if (!target.reasoning || field === 'none') return {};
  const effort = effortOf(requested);
  if (effort === undefined) return {};
  const accepted = findNearestEffort(effort, efforts);
  switch (field) {
    case 'reasoning_effort':
      return accepted ? { reasoning_effort: accepted } : {};
    case 'reasoning.effort':
      return accepted ? { reasoning: { effort: accepted } } : {};
    case 'thinking.type': {
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      const fields: ReasoningFields = { thinking: { type: 'enabled' } };
      if (accepted) fields.reasoning_effort = accepted;
      return fields;
    }
    case 'enable_thinking': {
      if (effort === 'none') return { enable_thinking: false };
      const fields: ReasoningFields = { enable_thinking: true };
      const budget = findBudget(requested, effort);
      if (budget !== undefined) fields.thinking_budget = budget;
      return fields;
    }
    case 'thinking': {
      if (effort === 'none') return { thinking: { type: 'disabled' } };
      const budget = findBudget(requested, effort) ?? MEDIUM_BUDGET;
      return { thinking: { type: 'enabled', budget_tokens: budget } };
    }
    case 'reasoningConfig':
    case 'thinkingLevel':
    case 'thinkingBudget':
      return {};
  }
}

function findBudget({ budgetTokens }: ReasoningOptions, effort: Effort): number | undefined {
  const budget = budgetTokens ?? BUDGETS[effort];
  return budget === undefined ? undefined : Math.max(1024, budget);
}
