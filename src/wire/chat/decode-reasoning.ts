import type { ReasoningOptions } from '#canonical';
import type { ChatBody } from './schema.ts';

/** What `enabled` asks for without an effort, as at OpenRouter. */
const DEFAULT_EFFORT = 'medium';

/** The reasoning options of a body: OpenAI’s, OpenRouter’s, Anthropic’s as LiteLLM takes them, and Qwen’s. */
export function decodeReasoning(body: ChatBody): ReasoningOptions | undefined {
  const { reasoning, thinking } = body;
  const effort = reasoning?.effort ?? body.reasoning_effort ?? undefined;
  const budgetTokens = reasoning?.max_tokens ?? thinking?.budget_tokens ?? body.thinking_budget ?? undefined;
  if (effort === 'none' || budgetTokens === 0 || isDisabled(body)) return { mode: 'off', effort: 'none' };
  const isAdaptive = thinking?.type === 'adaptive' || thinking?.type === 'auto';
  const wanted = effort ?? (isEnabled(body) && budgetTokens === undefined ? DEFAULT_EFFORT : undefined);
  const options: ReasoningOptions = {
    ...(isAdaptive && { mode: 'adaptive' }),
    ...(budgetTokens !== undefined && { mode: 'budget', budgetTokens }),
    ...(wanted && { effort: wanted }),
  };
  if (Object.keys(options).length === 0) return undefined; // the display alone asks for no thinking
  const display = findDisplay(body);
  return display === undefined ? options : { ...options, display };
}

function isDisabled({ reasoning, thinking, enable_thinking: isOn }: ChatBody): boolean {
  return reasoning?.enabled === false || thinking?.type === 'disabled' || isOn === false;
}

function isEnabled({ reasoning, thinking, enable_thinking: isOn }: ChatBody): boolean {
  return reasoning?.enabled === true || thinking?.type === 'enabled' || isOn === true;
}

function findDisplay({ reasoning, thinking, include_reasoning: isShown }: ChatBody): string | undefined {
  if (reasoning?.exclude === true || isShown === false) return 'omitted';
  return thinking?.display ?? (reasoning?.summary ? 'summarized' : undefined);
}
