import type { CanonicalRequest, Dialect, Effort, ReasoningWish, Target } from '#canonical';
import type { MessagesThinking } from './schema.ts';
import type { Members } from '../unchecked.ts';

/** What a wish for reasoning becomes: members of the body, and whether the model will think. */
export interface EncodedReasoning {
  thinking?: Members<MessagesThinking>;
  effort?: Effort;
  isThinking: boolean;
}

const ORDER: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const LEAST_BUDGET = 1024;
const BUDGETS: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};

const NOTHING: EncodedReasoning = { isThinking: false };

export function encodeReasoning(
  request: CanonicalRequest,
  target: Target,
  maxTokens: number,
): EncodedReasoning {
  const { dialect } = target;
  const wish = request.reasoning;
  if (!wish || !target.reasoning || dialect.reasoningField !== 'thinking') return NOTHING;
  if (wish.mode === 'off' || (wish.mode === undefined && wish.effort === 'none')) return encodeOff(dialect);
  if (wish.mode === 'between-tools') return { thinking: { type: 'between_tools' }, isThinking: true };
  const effort = findNearest(wish.effort ?? toEffort(wish.budgetTokens), dialect.efforts);
  const thinking = encodeThinking(wish, dialect, maxTokens);
  return { ...(effort && { effort }), ...(thinking && { thinking }), isThinking: thinking !== undefined };
}

/** Newer models think unless told not to, so the wish for none is always said. */
function encodeOff({ thinkingModes, efforts }: Dialect): EncodedReasoning {
  if (thinkingModes.includes('disabled')) return { thinking: { type: 'disabled' }, isThinking: false };
  const [least] = efforts;
  return least ? { effort: least, isThinking: false } : NOTHING;
}

function encodeThinking(
  wish: ReasoningWish,
  dialect: Dialect,
  maxTokens: number,
): EncodedReasoning['thinking'] {
  const canAdapt = dialect.thinkingModes.includes('adaptive');
  const canBound = dialect.thinkingModes.includes('budget');
  const shown = wish.display === undefined ? {} : { display: wish.display };
  if (canAdapt && !(canBound && wish.mode === 'budget')) return { type: 'adaptive', ...shown };
  if (!canBound) return undefined;
  const budget = toBudget(wish, maxTokens);
  return budget === undefined ? undefined : { type: 'enabled', budget_tokens: budget, ...shown };
}

/** A budget of at least 1024 tokens below `max_tokens`; one of our own choosing leaves a quarter for the answer. */
function toBudget({ budgetTokens, effort = 'medium' }: ReasoningWish, maxTokens: number): number | undefined {
  const wished = budgetTokens ?? (effort === 'none' ? LEAST_BUDGET : BUDGETS[effort]);
  const most = budgetTokens === undefined ? Math.floor((maxTokens * 3) / 4) : maxTokens - 1;
  const budget = Math.max(LEAST_BUDGET, Math.min(wished, most));
  return budget < maxTokens ? budget : undefined;
}

function toEffort(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}

/** The accepted effort closest to the wished one; of two as close the stronger. */
function findNearest(wished: Effort | undefined, accepted: readonly Effort[]): Effort | undefined {
  if (wished === undefined) return undefined;
  let nearest: Effort | undefined;
  for (const effort of accepted) {
    if (nearest === undefined || distance(effort, wished) <= distance(nearest, wished)) nearest = effort;
  }
  return nearest;
}

function distance(left: Effort, right: Effort): number {
  return Math.abs(ORDER.indexOf(left) - ORDER.indexOf(right));
}
