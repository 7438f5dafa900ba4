import type { ReasoningOptions } from '#canonical';
import type { ChatBody } from '../schema.ts';
import { decodeThinking } from '../../request/asked-thinking.ts';

/** The reasoning options of a body: OpenAI’s, OpenRouter’s, Anthropic’s as LiteLLM takes them, and Qwen’s. */
export function decodeReasoning(body: ChatBody): ReasoningOptions | undefined {
  const { reasoning, thinking } = body;
  const asked = decodeThinking({
    effort: reasoning?.effort ?? body.reasoning_effort,
    budgetTokens: reasoning?.max_tokens ?? thinking?.budget_tokens ?? body.thinking_budget,
    isOn: readSwitch(body),
  });
  if (asked.mode === 'off') return asked;
  const isAdaptive = thinking?.type === 'adaptive' || thinking?.type === 'auto';
  const options: ReasoningOptions = { ...(isAdaptive && { mode: 'adaptive' }), ...asked };
  if (Object.keys(options).length === 0) return undefined; // the display alone asks for no thinking
  const display = findDisplay(body);
  return display === undefined ? options : { ...options, display };
}

/** Whether thinking is switched on or off; off wins, and undefined leaves it to the model. */
function readSwitch({ reasoning, thinking, enable_thinking: isOn }: ChatBody): boolean | undefined {
  const type = thinking?.type;
  const switches = [
    reasoning?.enabled,
    isOn,
    type === 'enabled' || (type === 'disabled' ? false : undefined),
  ];
  return switches.includes(false) ? false : switches.includes(true) || undefined;
}

function findDisplay({ reasoning, thinking, include_reasoning: isShown }: ChatBody): string | undefined {
  if (reasoning?.exclude === true || isShown === false) return 'omitted';
  return thinking?.display ?? (reasoning?.summary ? 'summarized' : undefined);
}
