import { type JsonObject, type JsonValue } from '#base';
import type { CanonicalRequest, Target } from '#canonical';
import { encodeCacheKey } from '../cache-key.ts';
import { createEncodeContext } from './encode-context.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { hashText } from '../tool-ids.ts';
import { canSendVerbatim } from './verbatim.ts';

const MOST_USER = 64;
/** Refused by the models that refuse sampling. */
const SAMPLING_EXTRAS = ['logit_bias', 'logprobs', 'top_logprobs'];

/** A body for one target, and how to read the tool names in its answer. */
interface EncodedRequest {
  body: JsonObject;
  restoreName(name: string): string;
}

export function encodeRequest(request: CanonicalRequest, target: Target): EncodedRequest {
  const { dialect } = target;
  const context = createEncodeContext(request, dialect);
  const output = encodeOutput(request, dialect);
  const { format, body: origin } = request.origin;
  const isVerbatim =
    format === 'chat' && output.instruction === undefined && canSendVerbatim(origin, dialect);
  const body: JsonObject = { model: target.externalId };
  body['messages'] = isVerbatim ? origin['messages'] : encodeMessages(context, output.instruction);
  const tools = isVerbatim ? (origin['tools'] as JsonObject[] | undefined | null) : encodeTools(context);
  if (tools && tools.length > 0) {
    body['tools'] = tools;
    const choice = request.toolChoice && encodeToolChoice(request.toolChoice, tools, context);
    if (choice !== undefined) body['tool_choice'] = choice;
    const parallel = request.parallelToolCalls;
    if (parallel !== undefined && dialect.parallelToolCalls) body['parallel_tool_calls'] = parallel;
  }
  Object.assign(body, output.fields, encodeLimits(request, target), encodeSampling(request, target));
  const canAskEffort = dialect.effortWithTools || body['tools'] === undefined;
  if (request.reasoning && canAskEffort) Object.assign(body, encodeReasoning(request.reasoning, target));
  Object.assign(body, encodeIdentity(request), encodeCacheKey(request, dialect), request.extra?.chat);
  if (request.stream) {
    body['stream'] = true;
    if (dialect.streamUsage) body['stream_options'] = { include_usage: true };
  }
  const refused =
    dialect.sampling === 'none' ? [...dialect.refusedFields, ...SAMPLING_EXTRAS] : dialect.refusedFields;
  for (const field of refused) Reflect.deleteProperty(body, field);
  const { names } = context; // alone: an answer must not keep its prompt
  return { body, restoreName: (name) => names.restore(name) };
}

function encodeLimits(request: CanonicalRequest, target: Target): JsonObject {
  const { dialect, maxOutput } = target;
  const fields: JsonObject = {};
  if (request.maxOutputTokens !== undefined) {
    const most = Math.min(request.maxOutputTokens, maxOutput ?? request.maxOutputTokens);
    fields[dialect.maxTokensField] = Math.max(1, most); // Anthropic's 0 warms a cache; here the least is 1
  }
  const stop = request.stopSequences.slice(0, dialect.maxStopSequences);
  if (stop.length > 0) fields['stop'] = stop;
  return fields;
}

function encodeSampling(request: CanonicalRequest, target: Target): JsonObject {
  const { dialect } = target;
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request.sampling;
  const canSample = dialect.sampling !== 'none';
  const canPenalize = dialect.sampling === 'full';
  const fields: JsonObject = {};
  const put = (name: string, value: JsonValue | undefined, isTaken: boolean): void => {
    if (value !== undefined && isTaken) fields[name] = value;
  };
  put(
    'temperature',
    temperature === undefined ? undefined : Math.min(temperature, dialect.maxTemperature),
    canSample,
  );
  put('top_p', topP, canSample);
  put('top_k', topK, canSample && dialect.topK);
  put('frequency_penalty', frequencyPenalty, canPenalize);
  put('presence_penalty', presencePenalty, canPenalize);
  put('seed', seed, true);
  return fields;
}

/** Who asks, in one field: the caller's own where it speaks Chat, else `user`, which most upstreams know. */
function encodeIdentity(request: CanonicalRequest): JsonObject {
  const { endUser, serviceTier, origin } = request;
  const fields: JsonObject = {};
  if (endUser !== undefined) {
    const isOwn = origin.format === 'chat' && typeof origin.body['safety_identifier'] === 'string';
    fields[isOwn ? 'safety_identifier' : 'user'] =
      endUser.length > MOST_USER ? `user_${hashText(endUser, 32)}` : endUser;
  }
  if (serviceTier !== undefined) {
    if (origin.format === 'chat') fields['service_tier'] = serviceTier;
    else if (serviceTier === 'standard_only') fields['service_tier'] = 'default';
  }
  return fields;
}
