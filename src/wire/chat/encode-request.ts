import { isArray } from '../body/read-field.ts';
import type { CanonicalRequest, Dialect, Sampling, Target } from '#canonical';
import { findCacheKey } from '../request/cache-key.ts';
import type { EncodeContext } from '../request/encode-context.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { translateTier } from '../request/processing-tier.ts';
import { hashText } from '../tools/tool-ids.ts';
import type { ChatBody, ChatTool } from './schema.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';
import { canForward } from './forward-request.ts';

const MOST_USER = 64;
/** Rejected by models that reject sampling parameters. */
const SAMPLING_EXTRAS: readonly (keyof ChatBody)[] = ['logit_bias', 'logprobs', 'top_logprobs'];

export function encodeRequest(context: EncodeContext): Members<ChatBody> {
  const { request, target, dialect } = context;
  const output = encodeOutput(request, dialect);
  const origin: Members<ChatBody> = request.origin.body;
  const isOwn = request.origin.format === 'chat' && output.instruction === undefined;
  const isForwarded = isOwn && canForward(origin, dialect);
  const body: Members<ChatBody> = { model: target.externalId };
  body.messages = isForwarded ? origin.messages : encodeMessages(context, output.instruction);
  const tools = isForwarded ? origin.tools : encodeTools(context);
  if (isArray(tools) && tools.length > 0) addTools(body, tools, context);
  Object.assign(body, output.fields);
  addLimits(body, request, target);
  addSampling(body, request.sampling, dialect);
  const canAskEffort = dialect.effortWithTools || body.tools === undefined;
  if (request.reasoning && canAskEffort) Object.assign(body, encodeReasoning(request.reasoning, target));
  addIdentity(body, request);
  const cacheKey = findCacheKey(request, dialect);
  if (cacheKey !== undefined) body.prompt_cache_key = cacheKey;
  Object.assign(body, request.extra?.chat);
  if (request.stream) {
    body.stream = true;
    if (dialect.streamUsage) body.stream_options = { include_usage: true };
  }
  for (const field of dialect.refusedFields) Reflect.deleteProperty(body, field);
  if (dialect.sampling === 'none') for (const field of SAMPLING_EXTRAS) Reflect.deleteProperty(body, field);
  return body;
}

function addTools(body: Members<ChatBody>, tools: Unchecked<ChatTool>[], context: EncodeContext): void {
  const { toolChoice, parallelToolCalls } = context.request;
  body.tools = tools;
  const choice = toolChoice && encodeToolChoice(toolChoice, tools, context);
  if (choice !== undefined) body.tool_choice = choice;
  if (parallelToolCalls !== undefined && context.dialect.parallelToolCalls)
    body.parallel_tool_calls = parallelToolCalls;
}

function addLimits(body: Members<ChatBody>, request: CanonicalRequest, target: Target): void {
  const { dialect, maxOutput } = target;
  if (request.maxOutputTokens !== undefined) {
    const most = Math.min(request.maxOutputTokens, maxOutput ?? request.maxOutputTokens);
    body[dialect.maxTokensField] = Math.max(1, most); // Anthropic accepts 0 to warm a cache; the minimum here is 1
  }
  if (request.stopSequences.length === 0 || dialect.maxStopSequences === 0) return;
  body.stop = request.stopSequences.slice(0, dialect.maxStopSequences);
}

function addSampling(body: Members<ChatBody>, sampling: Sampling, dialect: Dialect): void {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = sampling;
  if (dialect.sampling !== 'none') {
    if (temperature !== undefined) body.temperature = Math.min(temperature, dialect.maxTemperature);
    if (topP !== undefined) body.top_p = topP;
    if (topK !== undefined && dialect.topK) body.top_k = topK;
  }
  if (dialect.sampling === 'full') {
    if (frequencyPenalty !== undefined) body.frequency_penalty = frequencyPenalty;
    if (presencePenalty !== undefined) body.presence_penalty = presencePenalty;
  }
  if (seed !== undefined) body.seed = seed;
}

/**
 * Sends the user's identity in one field: the caller's own for Chat callers, else `user`, which most upstreams support.
 */
function addIdentity(body: Members<ChatBody>, request: CanonicalRequest): void {
  const { endUser, origin } = request;
  if (endUser !== undefined) {
    const { safety_identifier: own }: Members<ChatBody> = origin.format === 'chat' ? origin.body : {};
    const isOwn = typeof own === 'string';
    body[isOwn ? 'safety_identifier' : 'user'] =
      endUser.length > MOST_USER ? `user_${hashText(endUser, 32)}` : endUser;
  }
  const tier = translateTier(request, 'chat');
  if (tier !== undefined) body.service_tier = tier;
}
