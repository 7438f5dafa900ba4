import { isArray } from '../../body/read-field.ts';
import type { CanonicalRequest, Sampling } from '#canonical';
import { findCacheKey, fitIdentifier } from '../../request/cache-key.ts';
import { ANY_TEXT, acceptedStops, clampOutput, encodeSampling } from '../../request/clamp-options.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice } from './encode-tools.ts';
import { translateTier } from '../../request/processing-tier.ts';
import type { ChatBody, ChatTool } from '../schema.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';

const SAMPLING = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
} as const satisfies Record<keyof Sampling, keyof ChatBody>;
/** Rejected by models that reject sampling parameters. */
const SAMPLING_EXTRAS: readonly (keyof ChatBody)[] = ['logit_bias', 'logprobs', 'top_logprobs'];

/** The conversation, the tools and the output format: the caller's own, or encoded. */
type Content = Pick<Members<ChatBody>, 'messages' | 'tools' | 'response_format'>;

/** Adds the options of the request to its content. */
export function encodeOptions(context: EncodeContext, content: Content): Members<ChatBody> {
  const { request, target, dialect } = context;
  const { messages, tools, response_format: format } = content;
  const body: Members<ChatBody> = { model: target.externalId, messages };
  if (isArray(tools) && tools.length > 0) addTools(body, tools, context);
  if (format !== undefined) body.response_format = format;
  const most = clampOutput(request, target);
  if (most !== undefined) body[dialect.maxTokensField] = most;
  const stop = acceptedStops(request, dialect, ANY_TEXT);
  if (stop.length > 0) body.stop = stop;
  Object.assign(body, encodeSampling(request.sampling, dialect, SAMPLING));
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

/**
 * Sends the user's identity in one field: the caller's own for Chat callers, else `user`, which most upstreams support.
 */
function addIdentity(body: Members<ChatBody>, request: CanonicalRequest): void {
  const { endUser, origin } = request;
  if (endUser !== undefined) {
    const { safety_identifier: own }: Members<ChatBody> = origin.format === 'chat' ? origin.body : {};
    const isOwn = typeof own === 'string';
    body[isOwn ? 'safety_identifier' : 'user'] = fitIdentifier(endUser, 'user');
  }
  const tier = translateTier(request, 'chat');
  if (tier !== undefined) body.service_tier = tier;
}
