import type { JsonObject } from '#base';
import type { CanonicalRequest, Effort, ReasoningWish, Target } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOf, nearestEffort } from '../effort.ts';

/** What a wish for reasoning becomes: members of `additionalModelRequestFields`, and whether Claude's thinking is on. */
interface EncodedReasoning {
  fields: JsonObject;
  isThinking: boolean;
}

const LEAST_BUDGET = 1024;
const HIGH_BUDGET = 16_384;
const BUDGETS: Partial<Record<Effort, number>> = {
  minimal: LEAST_BUDGET,
  low: LOW_BUDGET,
  medium: MEDIUM_BUDGET,
};
const NOTHING: EncodedReasoning = { fields: {}, isThinking: false };

export function encodeReasoning(
  { reasoning: wish }: CanonicalRequest,
  target: Target,
  maxTokens: number | undefined,
): EncodedReasoning {
  if (!wish || !target.reasoning) return NOTHING;
  const { reasoningField: field, efforts } = target.dialect;
  const wished = effortOf(wish);
  if (field === 'thinking') return encodeThinking(wish, target, maxTokens);
  if (wished === undefined) return NOTHING;
  const effort = findNearest(wished, efforts);
  if (field === 'reasoning_effort' && effort) return say({ reasoning_effort: effort });
  if (field !== 'reasoningConfig') return NOTHING;
  if (wished === 'none') return say({ reasoningConfig: { type: 'disabled' } });
  return effort ? say({ reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }) : NOTHING;
}

function say(fields: JsonObject): EncodedReasoning {
  return { fields, isThinking: false };
}

/** Claude through Converse takes the fields of its own format. */
function encodeThinking(
  wish: ReasoningWish,
  { dialect }: Target,
  maxTokens: number | undefined,
): EncodedReasoning {
  const { thinkingModes: modes, efforts } = dialect;
  const wished = effortOf(wish);
  if (wished === 'none')
    return modes.includes('disabled') ? say({ thinking: { type: 'disabled' } }) : NOTHING;
  const effort = wished && findNearest(wished, efforts);
  const fields: JsonObject = effort ? { output_config: { effort } } : {};
  if (modes.includes('adaptive') && !(modes.includes('budget') && wish.mode === 'budget'))
    return { fields: { ...fields, thinking: { type: 'adaptive' } }, isThinking: true };
  if (!modes.includes('budget')) return say(fields);
  const budget = wish.budgetTokens ?? BUDGETS[wished ?? 'medium'] ?? HIGH_BUDGET;
  const most = (maxTokens ?? Number.POSITIVE_INFINITY) - 1;
  if (most < LEAST_BUDGET) return say(fields);
  const thinking = { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.min(budget, most)) };
  return { fields: { ...fields, thinking }, isThinking: true };
}

/** The accepted effort closest to the wished one; nothing where the model takes none. */
function findNearest(wished: Effort, accepted: readonly Effort[]): Effort | undefined {
  return accepted.length > 0 ? nearestEffort(wished, accepted) : undefined;
}
