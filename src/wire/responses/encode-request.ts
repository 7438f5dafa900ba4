import type { JsonObject, JsonValue } from '#base';
import type { Block, CanonicalRequest, Target } from '#canonical';
import { withoutAttribution } from '../attribution.ts';
import { encodeCacheKey } from '../cache-key.ts';
import { translateTier } from '../processing-tier.ts';
import { hashText } from '../tool-ids.ts';
import { EncodeContext } from '../encode-context.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { addMessage, addTurns } from './encode-turns.ts';
import { canForward, forwardInput } from './forward-request.ts';
import { InputList } from './input-list.ts';
import { refuseFeature } from './unsupported.ts';

/** OpenAI rejects lower limits. */
const LEAST_OUTPUT = 16;
const MOST_USER = 64;
/** Fields of a Responses caller that are forwarded unchanged. */
const FORWARDED = [
  'access_programs',
  'context_management',
  'image',
  'max_tool_calls',
  'metadata',
  'moderation',
  'prompt_cache_options',
  'prompt_cache_retention',
  'truncation',
];
/** Chat fields with the same meaning here. */
const SHARED = ['moderation', 'prompt_cache_options', 'prompt_cache_retention'];
/** Chat fields that change the answer and do not exist in this format. */
const UNSAYABLE = ['audio', 'logit_bias', 'logprobs', 'top_logprobs'];

/** A body for one target, with the mapping of its tool names. */
interface EncodedRequest {
  body: JsonObject;
  restoreName(name: string): string;
}

export function encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest {
  const { dialect } = target;
  const context = new EncodeContext(request, target);
  refuseUnsayable(context);
  const { text, instruction } = encodeOutput(request, dialect);
  const { format, body: origin } = request.origin;
  const isForwarded = format === 'responses' && instruction === undefined && canForward(origin, dialect);
  const body: JsonObject = {
    model: target.externalId,
    ...(isForwarded ? forwardConversation(context) : encodeConversation(context, instruction)),
    ...encodeToolFields(context, isForwarded),
    ...(Object.keys(text).length > 0 && { text }),
    ...encodeLimits(request, target),
    ...encodeReasoning(request, target),
    ...encodeIdentity(request),
    ...encodeCacheKey(request, dialect),
    ...pick(request.extra?.chat, SHARED),
    ...pick(request.extra?.responses, FORWARDED),
    store: false,
    ...(request.stream && { stream: true }),
  };
  for (const field of dialect.refusedFields) Reflect.deleteProperty(body, field);
  const { names } = context; // alone: an answer must not keep its prompt
  return { body, restoreName: (name) => names.restore(name) };
}

/** As in Chat, models without sampling drop the sampling fields instead of refusing them. */
function refuseUnsayable({ request, dialect }: EncodeContext): void {
  const { extra } = request;
  for (const field of UNSAYABLE) {
    const value = extra?.chat?.[field];
    const isSpared = dialect.sampling === 'none' && field !== 'audio';
    if (value !== undefined && value !== false && !isSpared) refuseFeature(field, field);
  }
}

function forwardConversation({ request, target }: EncodeContext): JsonObject {
  const { instructions, input } = request.origin.body;
  return {
    ...(typeof instructions === 'string' && { instructions }),
    input: forwardInput(input, target),
  };
}

function encodeConversation(context: EncodeContext, instruction: string | undefined): JsonObject {
  const { request, dialect } = context;
  const list = new InputList(dialect.cacheMarks);
  const instructions = addSystem(list, instruction, context);
  addTurns(list, request.turns, context);
  if (
    request.origin.format !== 'responses' &&
    !dialect.prefill &&
    list.items.at(-1)?.['role'] === 'assistant'
  )
    refuseFeature('a conversation that ends with the assistant', 'messages');
  return { ...(instructions !== undefined && { instructions }), input: list.items };
}

/**
 * Instructions are one string. They open the input instead if a prompt-cache mark or the dialect needs a part, or if
 * the input would be empty, which OpenAI rejects.
 */
function addSystem(
  list: InputList,
  instruction: string | undefined,
  context: EncodeContext,
): string | undefined {
  const { request, dialect } = context;
  const system: Block[] = [...withoutAttribution(request.system)];
  if (instruction !== undefined) system.push({ type: 'text', text: instruction });
  const texts = system.filter((block) => block.type === 'text' && block.text !== '');
  const isMarked = dialect.cacheMarks === 'prompt_cache_breakpoint' && system.some((block) => block.cache);
  const isAlone = request.turns.length === 0;
  if (!isMarked && !isAlone && !dialect.refusedFields.includes('instructions')) {
    const text = texts.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
    return text === '' ? undefined : text;
  }
  addMessage(list, { role: dialect.systemRole, blocks: system }, context);
  return undefined;
}

function encodeToolFields(context: EncodeContext, isForwarded: boolean): JsonObject {
  const { request, dialect } = context;
  const { body } = request.origin;
  const tools = isForwarded ? (body['tools'] as JsonObject[] | null | undefined) : encodeTools(context);
  if (!tools || tools.length === 0) return {};
  const choice = isForwarded ? body['tool_choice'] : encodeChoice(tools, context);
  const parallel = request.parallelToolCalls;
  return {
    tools,
    ...(choice !== undefined && choice !== null && { tool_choice: choice }),
    ...(parallel !== undefined && dialect.parallelToolCalls && { parallel_tool_calls: parallel }),
  };
}

function encodeChoice(tools: readonly JsonObject[], context: EncodeContext): JsonValue | undefined {
  const { toolChoice } = context.request;
  return toolChoice && encodeToolChoice(toolChoice, tools, context);
}

function encodeLimits(request: CanonicalRequest, { dialect, maxOutput }: Target): JsonObject {
  const { maxOutputTokens: requested, sampling } = request;
  const fields: JsonObject = {};
  if (requested !== undefined)
    fields['max_output_tokens'] = Math.max(LEAST_OUTPUT, Math.min(requested, maxOutput ?? requested));
  if (dialect.sampling === 'none') return fields;
  const { temperature, topP, topK } = sampling;
  if (temperature !== undefined) fields['temperature'] = Math.min(temperature, dialect.maxTemperature);
  if (topP !== undefined) fields['top_p'] = topP;
  if (topK !== undefined && dialect.topK) fields['top_k'] = topK;
  return fields;
}

/** Sends the user's identity in one field: the caller's own for Responses callers, else the successor of `user`. */
function encodeIdentity(request: CanonicalRequest): JsonObject {
  const { endUser, origin } = request;
  const fields: JsonObject = {};
  const isOpenAi = origin.format === 'responses' || origin.format === 'chat';
  if (endUser !== undefined) {
    const isLegacy = isOpenAi && typeof origin.body['safety_identifier'] !== 'string';
    fields[isLegacy ? 'user' : 'safety_identifier'] =
      endUser.length > MOST_USER ? `user_${hashText(endUser, 32)}` : endUser;
  }
  const tier = translateTier(request, 'responses');
  if (tier !== undefined) fields['service_tier'] = tier;
  return fields;
}

function pick(from: JsonObject | undefined, names: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) if (from?.[name] !== undefined) picked[name] = from[name];
  return picked;
}
