import type { Effort, ReasoningOptions, Target } from '#canonical';
import { effortOf, findNearestEffort } from '../../request/effort.ts';
import type { GeminiThinkingConfig } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';

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
/** Google's own mapping for the efforts of its Chat endpoint. */
const BUDGETS: Record<Effort, number> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The minimum budget of a model that cannot disable thinking (2.5 Pro), and the maximum that all 2.5 models accept. */
const LEAST_BUDGET = 128;
const MOST_BUDGET = 24_576;
const DYNAMIC = -1;

/** Encodes reasoning options as `thinkingConfig`; requests thoughts wherever the caller may see them. */
export function encodeReasoning(requested: ReasoningOptions, target: Target): Thinking | undefined {
  const { reasoningField: field } = target.dialect;
  if (!target.reasoning || (field !== 'thinkingLevel' && field !== 'thinkingBudget')) return undefined;
  const isOff = requested.mode === 'off' || (requested.mode === undefined && requested.effort === 'none');
  const isShown = !isOff && requested.display !== 'omitted';
  const amount =
    field === 'thinkingLevel' ? encodeLevel(requested, target) : encodeBudget(requested, target, isOff);
  return { ...amount, ...(isShown && { includeThoughts: true }) };
}

function encodeLevel(requested: ReasoningOptions, { dialect }: Target): Thinking {
  const effort = effortOf(requested);
  if (effort === undefined) return {};
  const efforts = dialect.efforts.filter((accepted) => accepted !== 'none');
  return { thinkingLevel: LEVELS[findNearestEffort(effort, efforts) ?? effort] };
}

function encodeBudget(requested: ReasoningOptions, { dialect }: Target, isOff: boolean): Thinking {
  if (isOff) return { thinkingBudget: dialect.efforts.includes('none') ? 0 : LEAST_BUDGET };
  if (requested.budgetTokens !== undefined)
    return { thinkingBudget: Math.min(MOST_BUDGET, Math.max(LEAST_BUDGET, requested.budgetTokens)) };
  if (requested.effort !== undefined && requested.effort !== 'none')
    return { thinkingBudget: BUDGETS[requested.effort] };
  return requested.mode === 'adaptive' ? { thinkingBudget: DYNAMIC } : {};
}
