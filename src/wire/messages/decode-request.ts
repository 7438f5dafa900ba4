import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type {
  Block,
  CanonicalRequest,
  Effort,
  OutputShape,
  ReasoningOptions,
  Sampling,
  Turn,
} from '#canonical';
import type { RequestHeaders } from '../contract.ts';
import { listReferences } from '../references.ts';
import {
  findArray,
  findBoolean,
  findCount,
  findNumber,
  findObject,
  findString,
  invalid,
  readArray,
  readObject,
  readString,
} from './checks.ts';
import { decodeContent } from './decode-blocks.ts';
import { decodeBetas, decodeSessionId, decodeVersion } from './decode-headers.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { MESSAGES_ONLY_FIELDS, PLACES } from './fields.ts';
import type {
  MessagesBody,
  MessagesMessage,
  MessagesOutputConfig,
  MessagesOutputFormat,
  MessagesThinking,
} from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { rejectChat } from './reject-chat.ts';

const MOST_MESSAGES = 100_000;
const EFFORTS: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

export function decodeRequest(body: Members<MessagesBody>, headers: RequestHeaders): CanonicalRequest {
  const request = decodeCountTokens(body, headers);
  if (request.maxOutputTokens === undefined) throw invalid('max_tokens', 'field required');
  return request;
}

/** A request to count tokens: the same body, but `max_tokens` is optional. */
export function decodeCountTokens(body: Members<MessagesBody>, headers: RequestHeaders): CanonicalRequest {
  rejectChat(body);
  const request: CanonicalRequest = {
    model: decodeModel(body.model),
    system: decodeSystem(body.system),
    turns: decodeTurns(body.messages),
    tools: decodeTools(body.tools),
    ...decodeToolChoice(body.tool_choice),
    stopSequences: decodeStopSequences(body.stop_sequences),
    sampling: decodeSampling(body),
    stream: findBoolean(body.stream, 'stream') ?? false,
    streamUsage: true,
    choices: 1,
    betas: decodeBetas(headers),
    ...listReferences(body, PLACES),
    origin: { format: 'messages', body },
  };
  const maxTokens = findCount(body.max_tokens, 'max_tokens');
  if (maxTokens !== undefined) request.maxOutputTokens = maxTokens;
  const version = decodeVersion(headers);
  if (version !== undefined) request.version = version;
  const sessionId = decodeSessionId(headers);
  if (sessionId !== undefined) request.sessionId = sessionId;
  addOptions(request, body);
  if (isJsonObject(body.thread) || isJsonObject(body.diagnostics)) request.isAnswerKept = true;
  return request;
}

function addOptions(request: CanonicalRequest, body: Members<MessagesBody>): void {
  const config = findObject(body.output_config, 'output_config');
  const reasoning = decodeReasoning(body.thinking, config);
  if (reasoning) request.reasoning = reasoning;
  const output =
    decodeOutput(config?.format, 'output_config.format') ?? decodeOutput(body.output_format, 'output_format');
  if (output) request.output = output;
  const endUser = findObject(body.metadata, 'metadata')?.user_id;
  if (typeof endUser === 'string') request.endUser = endUser;
  const tier = findString(body.service_tier, 'service_tier');
  if (tier !== undefined) request.serviceTier = tier;
  const own = pickOwnFields(body, config);
  if (own) request.extra = { messages: own };
}

function decodeModel(value: JsonValue | undefined): string {
  const model = readString(value, 'model');
  if (model === '') throw invalid('model', 'must not be empty');
  return model;
}

function decodeSystem(value: Members<MessagesBody>['system']): Block[] {
  return value === undefined || value === null ? [] : decodeContent(value, 'system');
}

function decodeTurns(value: Members<MessagesBody>['messages']): Turn[] {
  const messages = readArray(value, 'messages');
  if (messages.length === 0) throw invalid('messages', 'at least one message is required');
  if (messages.length > MOST_MESSAGES) {
    throw invalid('messages', `at most ${MOST_MESSAGES} messages are allowed, not ${messages.length}`);
  }
  return messages.map((message, at) => decodeTurn(message, `messages.${at}`));
}

function decodeTurn(value: Unchecked<MessagesMessage>, path: string): Turn {
  const { role, content } = readObject(value, path);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw invalid(
      `${path}.role`,
      role === undefined ? 'field required' : "must be 'user', 'assistant' or 'system'",
    );
  }
  return { role, blocks: decodeContent(content, `${path}.content`) };
}

function decodeStopSequences(value: JsonValue | undefined): string[] {
  const sequences = findArray(value, 'stop_sequences') ?? [];
  return sequences.map((sequence, at) => readString(sequence, `stop_sequences.${at}`));
}

function decodeSampling(body: Members<MessagesBody>): Sampling {
  const sampling: Sampling = {};
  const temperature = findNumber(body.temperature, 'temperature');
  if (temperature !== undefined) sampling.temperature = temperature;
  const topP = findNumber(body.top_p, 'top_p');
  if (topP !== undefined) sampling.topP = topP;
  const topK = findCount(body.top_k, 'top_k');
  if (topK !== undefined) sampling.topK = topK;
  return sampling;
}

function decodeReasoning(
  thinking: Unchecked<MessagesThinking> | undefined,
  config: Members<MessagesOutputConfig> | undefined,
): ReasoningOptions | undefined {
  const requested: ReasoningOptions = {};
  const raw = findObject(thinking, 'thinking');
  if (raw) addThinking(requested, raw);
  const effort = findString(config?.effort, 'output_config.effort');
  if (effort !== undefined && EFFORTS.has(effort)) requested.effort = effort as Effort;
  return Object.keys(requested).length > 0 ? requested : undefined;
}

function addThinking(requested: ReasoningOptions, raw: Members<MessagesThinking>): void {
  const type = readString(raw.type, 'thinking.type');
  if (type === 'disabled') requested.mode = 'off';
  else if (type === 'adaptive') requested.mode = 'adaptive';
  else if (type === 'between_tools') requested.mode = 'between-tools';
  else if (type === 'enabled') {
    requested.mode = 'budget';
    const budget = findCount(raw.budget_tokens, 'thinking.budget_tokens');
    if (budget === undefined) throw invalid('thinking.budget_tokens', 'field required');
    requested.budgetTokens = budget;
  }
  const display = findString(raw.display, 'thinking.display');
  if (display !== undefined) requested.display = display;
}

function decodeOutput(
  value: Unchecked<MessagesOutputFormat> | undefined,
  path: string,
): OutputShape | undefined {
  const raw = findObject(value, path);
  if (!raw || readString(raw.type, `${path}.type`) !== 'json_schema') return undefined;
  return {
    type: 'json-schema',
    name: 'output',
    schema: readObject(raw.schema, `${path}.schema`),
    strict: true,
  };
}

function pickOwnFields(
  body: Members<MessagesBody>,
  config: Members<MessagesOutputConfig> | undefined,
): JsonObject | undefined {
  const own: Members<MessagesBody> = {};
  for (const name of MESSAGES_ONLY_FIELDS) if (body[name] !== undefined) own[name] = body[name];
  if (isJsonObject(config) && config.task_budget !== undefined) {
    own.output_config = { task_budget: config.task_budget };
  }
  return Object.keys(own).length > 0 ? own : undefined;
}
