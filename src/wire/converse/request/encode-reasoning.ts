import type { CanonicalRequest, Effort, ReasoningOptions, Target } from '#canonical';
import { LOW_BUDGET, MEDIUM_BUDGET, effortOf, findNearestEffort } from '../../request/effort.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseModelFields } from '../schema.ts';

/** Encoded reasoning options: members of `additionalModelRequestFields`, and whether Claude's thinking is on. */
interface EncodedReasoning {
  fields: Members<ConverseModelFields>;
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
  { reasoning: options }: CanonicalRequest,
  target: Target,
  maxTokens: number | undefined,
): EncodedReasoning {
  if (!options || !target.reasoning) return NOTHING;
  const { reasoningField: field, efforts } = target.dialect;
  const requested = effortOf(options);
  if (field === 'thinking') return encodeThinking(options, target, maxTokens);
  if (requested === undefined) return NOTHING;
  const effort = findNearestEffort(requested, efforts);
  if (field === 'reasoning_effort' && effort) return withoutThinking({ reasoning_effort: effort });
  if (field !== 'reasoningConfig') return NOTHING;
  if (requested === 'none') return withoutThinking({ reasoningConfig: { type: 'disabled' } });
  return effort
    ? withoutThinking({ reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } })
    : NOTHING;
}

function withoutThinking(fields: EncodedReasoning['fields']): EncodedReasoning {
  return { fields, isThinking: false };
}

/** Claude on Converse takes the fields of the Messages format. */
function encodeThinking(
  options: ReasoningOptions,
  { dialect }: Target,
  maxTokens: number | undefined,
): EncodedReasoning {
  const { thinkingModes: modes, efforts } = dialect;
  const requested = effortOf(options);
  if (requested === 'none')
    return modes.includes('disabled') ? withoutThinking({ thinking: { type: 'disabled' } }) : NOTHING;
  const effort = requested && findNearestEffort(requested, efforts);
  const fields: EncodedReasoning['fields'] = effort ? { output_config: { effort } } : {};
  if (modes.includes('adaptive') && !(modes.includes('budget') && options.mode === 'budget'))
    return { fields: { ...fields, thinking: { type: 'adaptive' } }, isThinking: true };
  if (!modes.includes('budget')) return withoutThinking(fields);
  const budget = options.budgetTokens ?? BUDGETS[requested ?? 'medium'] ?? HIGH_BUDGET;
  const most = (maxTokens ?? Number.POSITIVE_INFINITY) - 1;
  if (most < LEAST_BUDGET) return withoutThinking(fields);
  const thinking = { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.min(budget, most)) };
  return { fields: { ...fields, thinking }, isThinking: true };
}
