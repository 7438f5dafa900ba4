import { Type } from 'typebox';
import { maybe, open, words } from '../body/schema-parts.ts';

const effort = () => maybe(words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'));
const tokens = () => maybe(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }));

/** How clients ask for thinking: as at OpenAI, and as at other gateways and providers. */
export const reasoningFields = {
  reasoning_effort: effort(),
  reasoning: maybe(
    Type.Object(
      {
        effort: effort(),
        max_tokens: tokens(),
        enabled: maybe(Type.Boolean()),
        exclude: maybe(Type.Boolean()),
        summary: maybe(Type.String()),
      },
      { ...open, description: 'As at OpenRouter.' },
    ),
  ),
  include_reasoning: maybe(Type.Boolean({ description: 'False is `exclude` of `reasoning`.' })),
  thinking: maybe(
    Type.Object(
      {
        type: words('enabled', 'disabled', 'adaptive', 'auto'),
        budget_tokens: tokens(),
        display: maybe(Type.String()),
      },
      { ...open, description: 'As at LiteLLM, DeepSeek, Moonshot and Z.AI.' },
    ),
  ),
  enable_thinking: maybe(Type.Boolean({ description: 'As at Alibaba.' })),
  thinking_budget: tokens(),
};
