import { type Block, type CanonicalRequest, type Target, isOpenaiFormat } from '#canonical';
import { withoutAttribution } from '../request/attribution.ts';
import { findCacheKey } from '../request/cache-key.ts';
import { translateTier } from '../request/processing-tier.ts';
import { isArray, isPresent } from '../body/read-field.ts';
import { hashText } from '../tools/tool-ids.ts';
import type { Members } from '../body/unchecked.ts';
import type { EncodeContext } from '../request/encode-context.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { addMessage, addTurns } from './encode-turns.ts';
import { canForward, forwardInput } from './forward-request.ts';
import { InputList } from './input-list.ts';
import { refuseFeature, refusePrefill } from '../errors/refuse-feature.ts';
import type { ResponsesBody } from './schema.ts';

/** Some other providers of this format accept `top_k`. */
type Body = Members<ResponsesBody & { top_k: number }>;

/** OpenAI rejects lower limits. */
const LEAST_OUTPUT = 16;
const FILLER: Block = { type: 'text', text: '…' };
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
] as const satisfies readonly (keyof ResponsesBody)[];
/** Chat fields with the same meaning here. */
const SHARED = ['moderation', 'prompt_cache_options', 'prompt_cache_retention'] as const;
/** Chat fields that change the answer and do not exist in this format. */
const UNSUPPORTED = ['audio', 'logit_bias', 'logprobs', 'top_logprobs'];

export function encodeRequest(context: EncodeContext): Body {
  const { request, target, dialect } = context;
  refuseChatOnly(context);
  const { text, instruction } = encodeOutput(request, dialect);
  const { format, body: origin } = request.origin;
  const isForwarded = format === 'responses' && instruction === undefined && canForward(origin, dialect);
  const body: Body = { model: target.externalId };
  if (isForwarded) forwardConversation(body, context);
  else encodeConversation(body, context, instruction);
  encodeToolFields(body, context, isForwarded);
  if (Object.keys(text).length > 0) body.text = text;
  encodeLimits(body, request, target);
  encodeReasoning(body, request, target);
  encodeIdentity(body, request);
  const cacheKey = findCacheKey(request, dialect);
  if (cacheKey !== undefined) body.prompt_cache_key = cacheKey;
  copyMembers(body, request.extra?.chat, SHARED);
  copyMembers(body, request.extra?.responses, FORWARDED);
  body.store = false;
  if (request.stream) body.stream = true;
  for (const field of dialect.refusedFields) Reflect.deleteProperty(body, field);
  return body;
}

/** As in Chat, models without sampling drop the sampling fields instead of refusing them. */
function refuseChatOnly({ request, dialect }: EncodeContext): void {
  const { extra } = request;
  for (const field of UNSUPPORTED) {
    const value = extra?.chat?.[field];
    const isSpared = dialect.sampling === 'none' && field !== 'audio';
    if (value !== undefined && value !== false && !isSpared) refuseFeature(field, field);
  }
}

function forwardConversation(body: Body, { request, target }: EncodeContext): void {
  const { instructions, input }: Body = request.origin.body;
  if (typeof instructions === 'string') body.instructions = instructions;
  body.input = forwardInput(input, target);
}

function encodeConversation(body: Body, context: EncodeContext, instruction: string | undefined): void {
  const { request, dialect } = context;
  const list = new InputList(dialect.cacheMarks);
  const instructions = addSystem(list, instruction, context);
  if (instructions !== undefined) body.instructions = instructions;
  addTurns(list, request.turns, context);
  // OpenAI rejects an empty input.
  if (list.items.length === 0) addMessage(list, { role: 'user', blocks: [FILLER] }, context);
  body.input = list.items;
  const endsWithAnswer = list.items.at(-1)?.role === 'assistant';
  if (endsWithAnswer && request.origin.format !== 'responses' && !dialect.prefill) refusePrefill();
}

/**
 * Instructions are one string. They open the input instead if a prompt-cache mark, an image or the dialect needs a part,
 * or if the input would be empty, which OpenAI rejects.
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
  const hasMedia = system.some(({ type }) => type === 'media');
  if (!isMarked && !isAlone && !hasMedia && !dialect.refusedFields.includes('instructions')) {
    const text = texts.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
    return text === '' ? undefined : text;
  }
  addMessage(list, { role: dialect.systemRole, blocks: system }, context);
  return undefined;
}

function encodeToolFields(body: Body, context: EncodeContext, isForwarded: boolean): void {
  const { request, dialect } = context;
  const { parallelToolCalls: parallel, toolChoice: requested } = request;
  const given: Body = request.origin.body;
  const encoded = isForwarded ? undefined : encodeTools(context);
  const tools = encoded ?? given.tools;
  if (isArray(tools) && tools.length > 0) body.tools = tools;
  if (encoded ? encoded.length === 0 : request.tools.length === 0) return;
  const choice = encoded ? requested && encodeToolChoice(requested, encoded, context) : given.tool_choice;
  if (isPresent(choice)) body.tool_choice = choice;
  if (parallel !== undefined && dialect.parallelToolCalls) body.parallel_tool_calls = parallel;
}

function encodeLimits(body: Body, request: CanonicalRequest, { dialect, maxOutput }: Target): void {
  const { maxOutputTokens: requested, sampling } = request;
  if (requested !== undefined)
    body.max_output_tokens = Math.max(LEAST_OUTPUT, Math.min(requested, maxOutput ?? requested));
  if (dialect.sampling === 'none') return;
  const { temperature, topP, topK } = sampling;
  if (temperature !== undefined) body.temperature = Math.min(temperature, dialect.maxTemperature);
  if (topP !== undefined) body.top_p = topP;
  if (topK !== undefined && dialect.topK) body.top_k = topK;
}

/** Sends the user's identity in one field: the caller's own for Responses callers, else the successor of `user`. */
function encodeIdentity(body: Body, request: CanonicalRequest): void {
  const { endUser, origin } = request;
  const { safety_identifier: given }: Body = origin.body;
  if (endUser !== undefined) {
    const isLegacy = isOpenaiFormat(origin.format) && typeof given !== 'string';
    body[isLegacy ? 'user' : 'safety_identifier'] =
      endUser.length > MOST_USER ? `user_${hashText(endUser, 32)}` : endUser;
  }
  const tier = translateTier(request, 'responses');
  if (tier !== undefined) body.service_tier = tier;
}

function copyMembers(body: Body, from: Body | undefined, names: readonly (keyof Body)[]): void {
  for (const name of names) if (from?.[name] !== undefined) Object.assign(body, { [name]: from[name] });
}
