import type { CanonicalRequest, Dialect, Effort, ReasoningOptions, Target } from '#canonical';
import type { MessagesThinking } from './schema.ts';
import type { Members } from '../body/unchecked.ts';

/** Encoded reasoning options: members of the body, and whether the model will think. */
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
  const options = request.reasoning;
  if (!options || !target.reasoning || dialect.reasoningField !== 'thinking') return NOTHING;
  const isOff = options.mode === 'off' || (options.mode === undefined && options.effort === 'none');
  if (isOff || options.mode === 'between-tools') return encodeLeast(dialect, !isOff);
  const effort = findNearest(options.effort ?? toEffort(options.budgetTokens), dialect.efforts);
  const thinking = encodeThinking(options, dialect, maxTokens);
  return { ...(effort && { effort }), ...(thinking && { thinking }), isThinking: thinking !== undefined };
}

/** The nearest that a model has to no thinking before the answer. Newer models think by default, so it is always sent. */
function encodeLeast({ thinkingModes, efforts }: Dialect, isBetweenTools: boolean): EncodedReasoning {
  const canDisable = thinkingModes.includes('disabled');
  if (thinkingModes.includes('between_tools') && (isBetweenTools || !canDisable))
    return { thinking: { type: 'between_tools' }, isThinking: true };
  if (canDisable) return { thinking: { type: 'disabled' }, isThinking: false };
  const [least] = efforts;
  return least ? { effort: least, isThinking: false } : NOTHING;
}

function encodeThinking(
  options: ReasoningOptions,
  dialect: Dialect,
  maxTokens: number,
): EncodedReasoning['thinking'] {
  const canAdapt = dialect.thinkingModes.includes('adaptive');
  const canBound = dialect.thinkingModes.includes('budget');
  const shown = options.display === undefined ? {} : { display: options.display };
  if (canAdapt && !(canBound && options.mode === 'budget')) return { type: 'adaptive', ...shown };
  if (!canBound) return undefined;
  const budget = toBudget(options, maxTokens);
  return budget === undefined ? undefined : { type: 'enabled', budget_tokens: budget, ...shown };
}

/** A budget of at least 1024 tokens below `max_tokens`; a derived one leaves a quarter for the answer. */
function toBudget(
  { budgetTokens, effort = 'medium' }: ReasoningOptions,
  maxTokens: number,
): number | undefined {
  const requested = budgetTokens ?? (effort === 'none' ? LEAST_BUDGET : BUDGETS[effort]);
  const most = budgetTokens === undefined ? Math.floor((maxTokens * 3) / 4) : maxTokens - 1;
  const budget = Math.max(LEAST_BUDGET, Math.min(requested, most));
  return budget < maxTokens ? budget : undefined;
}

function toEffort(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined;
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 8192 ? 'medium' : 'high';
}

/** The accepted effort nearest to the requested one; of two equally near the stronger. */
function findNearest(requested: Effort | undefined, accepted: readonly Effort[]): Effort | undefined {
  if (requested === undefined) return undefined;
  let nearest: Effort | undefined;
  for (const effort of accepted) {
    if (nearest === undefined || distance(effort, requested) <= distance(nearest, requested))
      nearest = effort;
  }
  return nearest;
}

function distance(left: Effort, right: Effort): number {
  return Math.abs(ORDER.indexOf(left) - ORDER.indexOf(right));
}
