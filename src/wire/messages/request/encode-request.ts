import type { CanonicalRequest, Target } from '#canonical';
import { NO_BLANKS, acceptedStops, clampOutput, encodeSampling } from '../../request/clamp-options.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { limitCacheMarks } from '../cache-marks.ts';
import { encodeBlocks } from '../encode-blocks.ts';
import { type EncodedReasoning, encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { continuesBareToolTurn } from './forward-request.ts';
import { sanitizeSchema } from './sanitize-schema.ts';
import { instructOutput } from '../../request/instruct-output.ts';
import { translateTier } from '../../request/processing-tier.ts';
import type { MessagesBlock } from '../block-schema.ts';
import type { MessagesBody, MessagesOutputConfig } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeTurns } from './encode-turns.ts';

const DEFAULT_MAX_TOKENS = 4096;
const BY_TEMPERATURE = { temperature: 'temperature', topK: 'top_k' } as const;
const BY_TOP_P = { topP: 'top_p', topK: 'top_k' } as const;

type Body = Members<MessagesBody>;

/** Encodes another format's request as a Messages body. */
export function encodeRequest(context: EncodeContext): Body {
  const { request, target } = context;
  const maxTokens = clampOutput(request, target, 0) ?? target.maxOutput ?? DEFAULT_MAX_TOKENS;
  const reasoning = encodeReasoning(request, target, maxTokens);
  const system = encodeSystem(request, target);
  const tools = encodeTools(context);
  const mayPrefill = target.dialect.prefill && !reasoning.isThinking;
  const messages = encodeTurns(request.turns, context, mayPrefill);
  dropBudgetOfBareTurn(reasoning, messages);
  const toolChoice = encodeToolChoice(context, reasoning.isThinking);
  const body: Body = {
    model: target.externalId,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice && { tool_choice: toolChoice }),
    ...(reasoning.thinking && { thinking: reasoning.thinking }),
    ...encodeOutputConfig(request, target, reasoning),
    ...encodeOptions(context, reasoning.isThinking),
    ...(request.stream && { stream: true }),
    ...encodeAccount(request, target),
  };
  limitCacheMarks(body);
  return body;
}

/** Anthropic refuses a thinking budget if the tool turn it continues has no thinking, and Chat histories have none. */
function dropBudgetOfBareTurn(
  reasoning: EncodedReasoning,
  messages: Parameters<typeof continuesBareToolTurn>[0],
): void {
  if (reasoning.thinking?.type !== 'enabled' || !continuesBareToolTurn(messages)) return;
  delete reasoning.thinking;
  reasoning.isThinking = false;
}

function encodeSystem(request: CanonicalRequest, target: Target): Members<MessagesBlock>[] {
  const system = encodeBlocks(request.system, target);
  const { output } = request;
  const isInstructed = output?.type === 'json' || target.dialect.structuredOutput !== 'json-schema';
  if (output && isInstructed) system.push({ type: 'text', text: instructOutput(output) });
  return system;
}

function encodeOutputConfig(request: CanonicalRequest, target: Target, { effort }: EncodedReasoning): Body {
  const { output } = request;
  const config: Members<MessagesOutputConfig> = {};
  if (effort !== undefined) config.effort = effort;
  if (output?.type === 'json-schema' && target.dialect.structuredOutput === 'json-schema') {
    config.format = { type: 'json_schema', schema: sanitizeSchema(output.schema) };
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}

/** Anthropic accepts temperature or top_p, not both, and neither while thinking. */
function encodeOptions({ request, dialect }: EncodeContext, isThinking: boolean): Body {
  const names = request.sampling.temperature === undefined ? BY_TOP_P : BY_TEMPERATURE;
  const stops = acceptedStops(request, dialect, NO_BLANKS);
  return {
    ...(!isThinking && encodeSampling(request.sampling, dialect, names)),
    ...(stops.length > 0 && { stop_sequences: stops }),
  };
}

function encodeAccount(request: CanonicalRequest, { dialect }: Target): Body {
  const { endUser } = request;
  const tier = dialect.betas === 'verbatim' ? translateTier(request, 'messages') : undefined;
  return {
    ...(endUser !== undefined && { metadata: { user_id: endUser } }),
    ...(tier !== undefined && { service_tier: tier }),
  };
}
