import { type JsonObject, isJsonObject } from '#base';
import type { Block, CanonicalRequest, Effort, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { GatewayError } from '#errors';
import {
  isPresent,
  readMember,
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
import { listReferences } from '../references.ts';
import type { ResponsesBody, ResponsesReasoning, ResponsesText, ResponsesTextFormat } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { decodeInput } from './decode-items.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { PLACES, RESPONSES_ONLY_FIELDS } from './fields.ts';

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const TOKENS = { least: 1, most: 1_000_000_000 };
const LOGPROBS = { least: 0, most: 20 };
const TEMPERATURE = { least: 0, most: 2 };
const TOP_P = { least: 0, most: 1 };
const TRUNCATIONS = ['auto', 'disabled'];

/** Decodes a Responses body; `previous_response_id` is already expanded into its items. */
export function decodeRequest(body: Members<ResponsesBody>): CanonicalRequest {
  rejectChat(body);
  refuseUnbuilt(body);
  const { system, turns } = decodeInput(body.input);
  const request: CanonicalRequest = {
    model: requireText(body.model, 'model'),
    system: [...readInstructions(body.instructions), ...system],
    turns,
    tools: decodeTools(body),
    stopSequences: [],
    sampling: readSampling(body),
    stream: readMember(body, 'stream', requireBoolean) ?? false,
    streamUsage: true,
    choices: 1,
    betas: [],
    ...listReferences(body, PLACES),
    origin: { format: 'responses', body },
  };
  readMember(body, 'stream_options', requireObject);
  readOptions(body, request);
  readIdentity(body, request);
  const extra = readExtra(body);
  if (extra) request.extra = { responses: extra };
  return request;
}

function rejectChat(body: Members<{ messages: unknown; input: unknown }>): void {
  if (body.messages === undefined || body.input !== undefined) return;
  throw new GatewayError(
    'wrong_format',
    'messages: this body is built for Chat Completions; send it to /v1/chat/completions, or send the conversation in `input`',
    { param: 'messages' },
  );
}

/** Refuses unsupported features by name, because omitting them would change the answer. */
function refuseUnbuilt(body: Members<ResponsesBody>): void {
  const isBackground = readMember(body, 'background', requireBoolean);
  if (isBackground)
    unsupported('background', 'background responses are not supported; omit it or send false');
  if (isPresent(body.conversation)) {
    unsupported('conversation', 'conversations are not supported; use previous_response_id');
  }
  if (isPresent(body.prompt))
    unsupported('prompt', 'stored prompts are not supported; send the prompt text itself');
  const logprobs = body.top_logprobs;
  if (isPresent(logprobs) && requireInteger(logprobs, 'top_logprobs', LOGPROBS) > 0)
    unsupported('top_logprobs', 'log probabilities are not supported on /v1/responses');
  const include = readMember(body, 'include', requireArray) ?? [];
  include.forEach((word, at) => requireString(word, `include[${at}]`));
  if (include.includes('message.output_text.logprobs')) {
    unsupported('include', 'log probabilities are not supported on /v1/responses');
  }
}

function unsupported(param: string, complaint: string): never {
  throw new GatewayError('unsupported_feature', `${param}: ${complaint}`, { param });
}

function readInstructions(value: Members<ResponsesBody>['instructions']): Block[] {
  const text = isPresent(value) ? requireString(value, 'instructions') : '';
  return text ? [{ type: 'text', text }] : [];
}

function readSampling(body: Members<ResponsesBody>): Sampling {
  const sampling: Sampling = {};
  const { temperature, top_p: topP } = body;
  if (isPresent(temperature)) sampling.temperature = requireNumber(temperature, 'temperature', TEMPERATURE);
  if (isPresent(topP)) sampling.topP = requireNumber(topP, 'top_p', TOP_P);
  return sampling;
}

function readOptions(body: Members<ResponsesBody>, request: CanonicalRequest): void {
  const choice = decodeToolChoice(body.tool_choice);
  if (choice) request.toolChoice = choice;
  const parallel = readMember(body, 'parallel_tool_calls', requireBoolean);
  if (parallel !== undefined) request.parallelToolCalls = parallel;
  const most = body.max_output_tokens;
  if (isPresent(most)) request.maxOutputTokens = requireInteger(most, 'max_output_tokens', TOKENS);
  const reasoning = readMember(body, 'reasoning', readReasoning);
  if (reasoning) request.reasoning = reasoning;
  const text = readMember(body, 'text', requireObject);
  if (text) readText(text, request);
}

function readText({ format, verbosity }: Members<ResponsesText>, request: CanonicalRequest): void {
  const output = isPresent(format) ? readShape(requireObject(format, 'text.format')) : undefined;
  if (output) request.output = output;
  if (isPresent(verbosity)) requireString(verbosity, 'text.verbosity');
}

function readReasoning(value: Unchecked<ResponsesReasoning>, path: string): ReasoningOptions | undefined {
  const { effort: word, summary: asked, generate_summary: askedBefore } = requireObject(value, path);
  const effort = isPresent(word) ? requireWord(word, 'reasoning.effort', EFFORTS) : undefined;
  const summary = asked ?? askedBefore;
  if (isPresent(summary)) requireString(summary, 'reasoning.summary');
  const requested: ReasoningOptions = {
    ...(effort === 'none' && { mode: 'off' }),
    ...(effort !== undefined && { effort }),
    ...(isPresent(summary) && { display: 'summarized' }),
  };
  return Object.keys(requested).length > 0 ? requested : undefined;
}

function readShape(format: Members<ResponsesTextFormat>): OutputShape | undefined {
  switch (format.type) {
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

function readSchemaShape(format: Members<ResponsesTextFormat>): OutputShape {
  const name = requireText(format.name, 'text.format.name');
  const schema = requireObject(format.schema, 'text.format.schema');
  const { strict, description } = format;
  const shape: OutputShape = { type: 'json-schema', name, schema };
  if (isPresent(strict)) shape.strict = requireBoolean(strict, 'text.format.strict');
  if (isPresent(description)) shape.description = requireString(description, 'text.format.description');
  return shape;
}

function readIdentity(body: Members<ResponsesBody>, request: CanonicalRequest): void {
  const endUser =
    readMember(body, 'safety_identifier', requireString) ?? readMember(body, 'user', requireString);
  if (endUser) request.endUser = endUser;
  const tier = readMember(body, 'service_tier', requireString);
  if (tier) request.serviceTier = tier;
}

function readExtra(body: Members<ResponsesBody>): JsonObject | undefined {
  readMember(body, 'store', requireBoolean);
  readMember(body, 'metadata', requireObject);
  readMember(body, 'previous_response_id', requireText);
  readMember(body, 'prompt_cache_key', requireString);
  const { max_tool_calls: most, truncation } = body;
  if (isPresent(most)) requireInteger(most, 'max_tool_calls', TOKENS);
  if (isPresent(truncation)) requireWord(truncation, 'truncation', TRUNCATIONS);
  const extra: JsonObject = {};
  for (const field of RESPONSES_ONLY_FIELDS) if (isPresent(body[field])) extra[field] = body[field];
  for (const field of ['text', 'reasoning'] as const) {
    const value = body[field];
    if (isJsonObject(value)) extra[field] = value;
  }
  return Object.keys(extra).length > 0 ? extra : undefined;
}
