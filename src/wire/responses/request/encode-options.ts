import { type CanonicalRequest, type Sampling, isOpenaiFormat } from '#canonical';
import { findCacheKey, fitIdentifier } from '../../request/cache-key.ts';
import { clampOutput, encodeSampling } from '../../request/clamp-options.ts';
import { translateTier } from '../../request/processing-tier.ts';
import { isPresent } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import type { ResponsesBody } from '../schema.ts';

/** Some other providers of this format accept `top_k`. */
export type Body = Members<ResponsesBody & { top_k: number }>;

/** OpenAI rejects lower limits. */
const LEAST_OUTPUT = 16;
const SAMPLING = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
} as const satisfies Partial<Record<keyof Sampling, keyof Body>>;
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

/** The conversation, the tools and the output format: the caller's own, or encoded. */
type Content = Pick<
  Body,
  'instructions' | 'input' | 'tools' | 'tool_choice' | 'parallel_tool_calls' | 'text'
>;

/** Adds the options of the request to its content. */
export function encodeOptions(context: EncodeContext, content: Content): Body {
  const { request, target, dialect } = context;
  const body: Body = { model: target.externalId, ...content };
  const most = clampOutput(request, target, LEAST_OUTPUT);
  if (most !== undefined) body.max_output_tokens = most;
  Object.assign(body, encodeSampling(request.sampling, dialect, SAMPLING));
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

/** Whether and how the tools may be called. */
export function encodeToolUse({ request, dialect }: EncodeContext, choice: Body['tool_choice']): Content {
  const { parallelToolCalls: parallel } = request;
  return {
    ...(isPresent(choice) && { tool_choice: choice }),
    ...(parallel !== undefined && dialect.parallelToolCalls && { parallel_tool_calls: parallel }),
  };
}

/** Sends the user's identity in one field: the caller's own for Responses callers, else the successor of `user`. */
function encodeIdentity(body: Body, request: CanonicalRequest): void {
  const { endUser, origin } = request;
  const { safety_identifier: given }: Body = origin.body;
  if (endUser !== undefined) {
    const isLegacy = isOpenaiFormat(origin.format) && typeof given !== 'string';
    body[isLegacy ? 'user' : 'safety_identifier'] = fitIdentifier(endUser, 'user');
  }
  const tier = translateTier(request, 'responses');
  if (tier !== undefined) body.service_tier = tier;
}

function copyMembers(body: Body, from: Body | undefined, names: readonly (keyof Body)[]): void {
  for (const name of names) if (from?.[name] !== undefined) Object.assign(body, { [name]: from[name] });
}
