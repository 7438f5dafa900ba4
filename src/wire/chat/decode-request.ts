import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest, Effort, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { GatewayError } from '#errors';
import { listReferences } from '../references.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { findMessagesPaths } from './foreign-format.ts';
import type { ChatBody, ChatJsonSchema, ChatStreamOptions } from './schema.ts';
import type { Members } from '../unchecked.ts';
import {
  isPresent,
  readMember,
  refuse,
  requireBoolean,
  requireInteger,
  requireNumber,
  requireObject,
  requireString,
  requireText,
  requireWord,
} from './read-field.ts';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const TOKENS = { least: 1, most: 1_000_000_000 };
const CHOICES = { least: 1, most: 128 };
const LOGPROBS = { least: 0, most: 20 };

/** Known fields of the format that the neutral model lacks. */
export const EXTRA_FIELDS = [
  'audio',
  'logit_bias',
  'logprobs',
  'metadata',
  'modalities',
  'moderation',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'top_logprobs',
  'verbosity',
  'web_search_options',
] as const satisfies readonly (keyof Members<ChatBody>)[];

/** Where a body refers to other models and to account objects. */
const PLACES = {
  conversation: ['messages'],
  settings: ['tools', 'audio', 'moderation', 'prediction', 'prompt_cache_options', 'web_search_options'],
  tools: /^(?:function|custom)$/,
  style: 'brackets',
} as const;

/** Decodes a Chat Completions body; refuses invalid members by path. */
export function decodeRequest(body: JsonObject): CanonicalRequest {
  if (body['system'] !== undefined) return refuseForeign(findMessagesPaths(body));
  try {
    return readRequest(body);
  } catch (thrown) {
    const paths = thrown instanceof GatewayError ? findMessagesPaths(body) : [];
    if (paths.length > 0) return refuseForeign(paths);
    throw thrown;
  }
}

function refuseForeign(paths: string[]): never {
  const message = `this body is built for the Messages format (${paths.join(', ')}); send it to /v1/messages`;
  const [first] = paths;
  throw new GatewayError(
    'wrong_format',
    message,
    first === undefined ? {} : { param: first.split(' ')[0] ?? first },
  );
}

function readRequest(body: Members<ChatBody>): CanonicalRequest {
  const streamOptions = readMember(body, 'stream_options', requireObject);
  const model = requireText(body.model, 'model');
  const { system, turns } = decodeMessages(body.messages);
  const request: CanonicalRequest = {
    model,
    system,
    turns,
    tools: decodeTools(body),
    stopSequences: readStop(body.stop),
    sampling: readSampling(body),
    stream: readMember(body, 'stream', requireBoolean) ?? false,
    streamUsage: streamOptions ? readUsageOption(streamOptions) : false,
    choices: readMember(body, 'n', requireChoices) ?? 1,
    betas: [],
    ...listReferences(body, PLACES),
    origin: { format: 'chat', body },
  };
  readLimits(body, request);
  readOptions(body, request);
  readIdentity(body, request);
  const extra = readExtra(body);
  if (extra) request.extra = { chat: extra };
  return request;
}

function readUsageOption({ include_usage: requested }: Members<ChatStreamOptions>): boolean {
  return isPresent(requested) && requireBoolean(requested, 'stream_options.include_usage');
}

function requireChoices(value: JsonValue, path: string): number {
  return requireInteger(value, path, CHOICES);
}

function requireTokens(value: JsonValue, path: string): number {
  return requireInteger(value, path, TOKENS);
}

function readLimits(body: Members<ChatBody>, request: CanonicalRequest): void {
  const legacy = readMember(body, 'max_tokens', requireTokens);
  const current = readMember(body, 'max_completion_tokens', requireTokens);
  const most = current ?? legacy;
  if (most !== undefined) request.maxOutputTokens = most;
}

function readOptions(body: Members<ChatBody>, request: CanonicalRequest): void {
  const choice = decodeToolChoice(body);
  if (choice) request.toolChoice = choice;
  const parallel = body.parallel_tool_calls;
  if (parallel !== undefined) request.parallelToolCalls = requireBoolean(parallel, 'parallel_tool_calls');
  if (request.tools.length > 0 && !isFilled(body.tools)) {
    request.legacyCalls = true;
    request.parallelToolCalls = false;
  }
  const requested = readMember(body, 'reasoning_effort', readEffort);
  if (requested) request.reasoning = requested;
  const output = readMember(body, 'response_format', readOutputShape);
  if (output) request.output = output;
}

function isFilled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}

function readEffort(value: JsonValue, path: string): ReasoningOptions {
  const effort = requireWord(value, path, EFFORTS);
  return effort === 'none' ? { mode: 'off', effort } : { effort };
}

function readIdentity(body: Members<ChatBody>, request: CanonicalRequest): void {
  const endUser =
    readMember(body, 'safety_identifier', requireString) ?? readMember(body, 'user', requireString);
  if (endUser) request.endUser = endUser;
  const tier = readMember(body, 'service_tier', requireString);
  if (tier) request.serviceTier = tier;
}

function readStop(value: JsonValue | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return refuse('stop', 'expected a string or an array of strings');
  return value.map((item, at) => requireString(item, `stop[${at}]`));
}

function readSampling(body: Members<ChatBody>): Sampling {
  const sampling: Sampling = {};
  for (const { name, key, range, read } of SAMPLING) {
    const value = body[key];
    if (isPresent(value)) sampling[name] = read(value, key, range);
  }
  return sampling;
}

interface SamplingField {
  name: keyof Sampling;
  key: keyof Members<ChatBody>;
  range: { least: number; most: number };
  read: typeof requireNumber;
}

const SAFE = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };
const SAMPLING: readonly SamplingField[] = [
  { name: 'temperature', key: 'temperature', range: { least: 0, most: 2 }, read: requireNumber },
  { name: 'topP', key: 'top_p', range: { least: 0, most: 1 }, read: requireNumber },
  { name: 'topK', key: 'top_k', range: { least: 0, most: 1_000_000 }, read: requireInteger },
  { name: 'frequencyPenalty', key: 'frequency_penalty', range: { least: -2, most: 2 }, read: requireNumber },
  { name: 'presencePenalty', key: 'presence_penalty', range: { least: -2, most: 2 }, read: requireNumber },
  { name: 'seed', key: 'seed', range: SAFE, read: requireInteger },
];

function readOutputShape(
  value: NonNullable<Members<ChatBody>['response_format']>,
  path: string,
): OutputShape | undefined {
  const format = requireObject(value, path);
  switch (format.type) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return readSchemaShape(requireObject(format.json_schema, 'response_format.json_schema'));
    default:
      return refuse('response_format.type', 'must be one of text, json_object, json_schema');
  }
}

function readSchemaShape(value: Members<ChatJsonSchema>): OutputShape {
  const path = 'response_format.json_schema';
  const name = requireText(value.name, `${path}.name`);
  const { schema: given, strict, description } = value;
  const schema = isPresent(given) ? requireObject(given, path, '.schema') : {};
  const shape: OutputShape = { type: 'json-schema', name, schema };
  if (isPresent(strict)) shape.strict = requireBoolean(strict, path, '.strict');
  if (isPresent(description)) shape.description = requireString(description, path, '.description');
  return shape;
}

function readExtra(body: Members<ChatBody>): JsonObject | undefined {
  const extra: JsonObject = {};
  for (const field of EXTRA_FIELDS) {
    const value = body[field];
    if (isPresent(value)) extra[field] = value;
  }
  readMember(body, 'logprobs', requireBoolean);
  readMember(body, 'top_logprobs', requireLogprobs);
  readMember(body, 'store', requireBoolean);
  for (const field of ['metadata', 'logit_bias', 'audio', 'prediction'] as const) {
    const value = extra[field];
    if (value !== undefined && !isJsonObject(value)) refuse(field, 'expected an object');
  }
  return Object.keys(extra).length > 0 ? extra : undefined;
}

function requireLogprobs(value: JsonValue, path: string): number {
  return requireInteger(value, path, LOGPROBS);
}
