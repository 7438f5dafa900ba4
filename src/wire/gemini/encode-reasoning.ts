import type { Effort, ReasoningWish, Target } from '#canonical';
import { effortOf, nearestEffort } from '../effort.ts';
import type { GeminiThinkingConfig } from './schema.ts';
import type { Members } from '../unchecked.ts';

type Thinking = Members<GeminiThinkingConfig>;

const LEVELS: Record<Effort, string> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};
/** What Google itself takes the efforts of its Chat endpoint for. */
const BUDGETS: Record<Effort, number> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The least budget of a model that cannot do without thinking (2.5 Pro), and the most that all 2.5 models take. */
const LEAST_BUDGET = 128;
const MOST_BUDGET = 24_576;
const DYNAMIC = -1;

/** A wish for reasoning as `thinkingConfig`; thoughts are asked for wherever the caller may see them. */
export function encodeReasoning(wish: ReasoningWish, target: Target): Thinking | undefined {
  const { reasoningField: field } = target.dialect;
  if (!target.reasoning || (field !== 'thinkingLevel' && field !== 'thinkingBudget')) return undefined;
  const isOff = wish.mode === 'off' || (wish.mode === undefined && wish.effort === 'none');
  const isShown = !isOff && wish.display !== 'omitted';
  const amount = field === 'thinkingLevel' ? encodeLevel(wish, target) : encodeBudget(wish, target, isOff);
  return { ...amount, ...(isShown && { includeThoughts: true }) };
}

function encodeLevel(wish: ReasoningWish, { dialect }: Target): Thinking {
  const effort = effortOf(wish);
  if (effort === undefined) return {};
  const efforts = dialect.efforts.filter((accepted) => accepted !== 'none');
  return { thinkingLevel: LEVELS[efforts.length > 0 ? nearestEffort(effort, efforts) : effort] };
}

function encodeBudget(wish: ReasoningWish, { dialect }: Target, isOff: boolean): Thinking {
  if (isOff) return { thinkingBudget: dialect.efforts.includes('none') ? 0 : LEAST_BUDGET };
  if (wish.budgetTokens !== undefined)
    return { thinkingBudget: Math.min(MOST_BUDGET, Math.max(LEAST_BUDGET, wish.budgetTokens)) };
  if (wish.effort !== undefined && wish.effort !== 'none') return { thinkingBudget: BUDGETS[wish.effort] };
  return wish.mode === 'adaptive' ? { thinkingBudget: DYNAMIC } : {};
}
