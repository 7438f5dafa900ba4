import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Block, CanonicalRequest, Effort, OutputShape, ReasoningWish, Sampling } from '#canonical';
import { GatewayError } from '#errors';
import {
  isTold,
  readNullable,
  refuse,
  requireArray,
  requireBoolean,
  requireInteger,
  requireNumber,
  requireObject,
  requireString,
  requireText,
  requireWord,
} from '../read-field.ts';
import { decodeInput } from './decode-items.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { RESPONSES_ONLY_FIELDS } from './fields.ts';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const MOST_TOKENS = { least: 1, most: 1_000_000_000 };

/** Reads a Responses body; `previous_response_id` has been replaced by the items it stands for. */
export function decodeRequest(body: JsonObject): CanonicalRequest {
  rejectChat(body);
  refuseUnbuilt(body);
  const { system, turns } = decodeInput(body['input']);
  const request: CanonicalRequest = {
    model: requireText(body['model'], 'model'),
    system: [...readInstructions(body['instructions']), ...system],
    turns,
    tools: decodeTools(body),
    stopSequences: [],
    sampling: readSampling(body),
    stream: readNullable(body['stream'], (value) => requireBoolean(value, 'stream')) ?? false,
    streamUsage: true,
    choices: 1,
    betas: [],
    origin: { format: 'responses', body },
  };
  readNullable(body['stream_options'], (value) => requireObject(value, 'stream_options'));
  readWishes(body, request);
  readIdentity(body, request);
  const extra = readExtra(body);
  if (extra) request.extra = { responses: extra };
  return request;
}

function rejectChat(body: JsonObject): void {
  if (body['messages'] === undefined || body['input'] !== undefined) return;
  throw new GatewayError(
    'wrong_format',
    'messages: this body is built for Chat Completions; send it to /v1/chat/completions, or say the conversation in `input`',
    { param: 'messages' },
  );
}

/** What this gateway does not do is refused by name, because leaving it out would change the answer. */
function refuseUnbuilt(body: JsonObject): void {
  const isBackground = readNullable(body['background'], (value) => requireBoolean(value, 'background'));
  if (isBackground) unsupported('background', 'answers are given at once; leave it out or send false');
  if (isTold(body['conversation'])) {
    unsupported('conversation', 'conversations are not kept here; use previous_response_id');
  }
  if (isTold(body['prompt'])) unsupported('prompt', 'stored prompts are not kept here; send the text itself');
  const logprobs = readNullable(body['top_logprobs'], (value) =>
    requireInteger(value, 'top_logprobs', { least: 0, most: 20 }),
  );
  if (logprobs) unsupported('top_logprobs', 'log probabilities are not told here');
  const include = readNullable(body['include'], (value) => requireArray(value, 'include')) ?? [];
  include.forEach((word, at) => requireString(word, `include.${at}`));
  if (include.includes('message.output_text.logprobs')) {
    unsupported('include', 'log probabilities are not told here');
  }
}

function unsupported(param: string, complaint: string): never {
  throw new GatewayError('unsupported_feature', `${param}: ${complaint}`, { param });
}

function readInstructions(value: JsonValue | undefined): Block[] {
  const text = readNullable(value, (present) => requireString(present, 'instructions'));
  return text ? [{ type: 'text', text }] : [];
}

function readSampling(body: JsonObject): Sampling {
  const sampling: Sampling = {};
  const temperature = readNullable(body['temperature'], (value) =>
    requireNumber(value, 'temperature', { least: 0, most: 2 }),
  );
  if (temperature !== undefined) sampling.temperature = temperature;
  const topP = readNullable(body['top_p'], (value) => requireNumber(value, 'top_p', { least: 0, most: 1 }));
  if (topP !== undefined) sampling.topP = topP;
  return sampling;
}

function readWishes(body: JsonObject, request: CanonicalRequest): void {
  const choice = decodeToolChoice(body['tool_choice']);
  if (choice) request.toolChoice = choice;
  const parallel = readNullable(body['parallel_tool_calls'], (value) =>
    requireBoolean(value, 'parallel_tool_calls'),
  );
  if (parallel !== undefined) request.parallelToolCalls = parallel;
  const most = readNullable(body['max_output_tokens'], (value) =>
    requireInteger(value, 'max_output_tokens', MOST_TOKENS),
  );
  if (most !== undefined) request.maxOutputTokens = most;
  const reasoning = readNullable(body['reasoning'], (value) =>
    readReasoning(requireObject(value, 'reasoning')),
  );
  if (reasoning) request.reasoning = reasoning;
  const text = readNullable(body['text'], (value) => requireObject(value, 'text'));
  const output = readNullable(text?.['format'], (value) => readShape(requireObject(value, 'text.format')));
  if (output) request.output = output;
  readNullable(text?.['verbosity'], (value) => requireString(value, 'text.verbosity'));
}

function readReasoning(value: JsonObject): ReasoningWish | undefined {
  const effort = readNullable(value['effort'], (word) => requireWord(word, 'reasoning.effort', EFFORTS));
  const summary = readNullable(value['summary'] ?? value['generate_summary'], (word) =>
    requireString(word, 'reasoning.summary'),
  );
  const wish: ReasoningWish = {
    ...(effort === 'none' && { mode: 'off' }),
    ...(effort !== undefined && { effort }),
    ...(summary !== undefined && { display: 'summarized' }),
  };
  return Object.keys(wish).length > 0 ? wish : undefined;
}

function readShape(format: JsonObject): OutputShape | undefined {
  switch (format['type']) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return readSchemaShape(format);
    default:
      return refuse('text.format.type', 'must be one of text, json_object, json_schema');
  }
}

function readSchemaShape(format: JsonObject): OutputShape {
  const name = requireText(format['name'], 'text.format.name');
  const schema = requireObject(format['schema'], 'text.format.schema');
  const strict = readNullable(format['strict'], (flag) => requireBoolean(flag, 'text.format.strict'));
  const description = readNullable(format['description'], (text) =>
    requireString(text, 'text.format.description'),
  );
  return {
    type: 'json-schema',
    name,
    schema,
    ...(strict !== undefined && { strict }),
    ...(description !== undefined && { description }),
  };
}

function readIdentity(body: JsonObject, request: CanonicalRequest): void {
  const endUser =
    readNullable(body['safety_identifier'], (value) => requireString(value, 'safety_identifier')) ??
    readNullable(body['user'], (value) => requireString(value, 'user'));
  if (endUser) request.endUser = endUser;
  const tier = readNullable(body['service_tier'], (value) => requireString(value, 'service_tier'));
  if (tier) request.serviceTier = tier;
}

function readExtra(body: JsonObject): JsonObject | undefined {
  readNullable(body['store'], (value) => requireBoolean(value, 'store'));
  readNullable(body['metadata'], (value) => requireObject(value, 'metadata'));
  readNullable(body['previous_response_id'], (value) => requireText(value, 'previous_response_id'));
  readNullable(body['prompt_cache_key'], (value) => requireString(value, 'prompt_cache_key'));
  readNullable(body['max_tool_calls'], (value) => requireInteger(value, 'max_tool_calls', MOST_TOKENS));
  readNullable(body['truncation'], (value) => requireWord(value, 'truncation', ['auto', 'disabled']));
  const extra: JsonObject = {};
  for (const field of RESPONSES_ONLY_FIELDS) if (isTold(body[field])) extra[field] = body[field];
  for (const field of ['text', 'reasoning'] as const) {
    const value = body[field];
    if (isJsonObject(value)) extra[field] = value;
  }
  return Object.keys(extra).length > 0 ? extra : undefined;
}
