import type { CanonicalRequest, Dialect, Effort, ReasoningOptions, Target } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOfBudget, findNearestEffort } from '../../request/effort.ts';
import type { MessagesThinking } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';

/** Encoded reasoning options: members of the body, and whether the model will think. */
export interface EncodedReasoning {
  thinking?: Members<MessagesThinking>;
  effort?: Effort;
  isThinking: boolean;
}

const LEAST_BUDGET = 1024;
const BUDGETS: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: LOW_BUDGET,
  medium: MEDIUM_BUDGET,
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
  const requested = options.effort ?? effortOfBudget(options.budgetTokens);
  const effort = requested && findNearestEffort(requested, dialect.efforts);
  const thinking = encodeThinking(options, dialect, maxTokens);
  return { ...(effort && { effort }), ...(thinking && { thinking }), isThinking: thinking !== undefined };
}

/** The closest a model has to no thinking. Always sent, because newer models think by default. */
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
