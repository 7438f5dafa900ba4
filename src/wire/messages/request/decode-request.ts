import { type HttpHeaders, type JsonObject, isJsonObject } from '#base';
import type { CanonicalRequest, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { EFFORTS } from '#canonical';
import { isPresent, refuse } from '../../body/read-field.ts';
import { listReferences } from '../../objects/references.ts';
import type { Members } from '../../body/unchecked.ts';
import { checkRequest } from './check-request.ts';
import { decodeContent } from '../decode-blocks.ts';
import { decodeBetas, decodeClientHeaders, decodeSessionId, decodeVersion } from './decode-headers.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { rejectForeign } from './foreign-format.ts';
import { continuesThread } from './threads.ts';
import { MESSAGES_ONLY_FIELDS, type MessagesBody, type MessagesCountBody } from '../schema.ts';

/** Where a body refers to other models, to objects of an account and to tools. */
const PLACES = {
  conversation: ['system', 'messages'],
  settings: [
    'tools',
    'container',
    'fallbacks',
    'mcp_servers',
    'thread',
    'diagnostics',
    'context_management',
    'compaction',
  ],
  tools:
    /^(?:custom|mcp_toolset|(?:bash|text_editor|memory|computer(?:_toolset)?|browser(?:_toolset)?|web_search|web_fetch|code_execution|advisor|tool_search_tool_(?:regex|bm25))(?:_\d{8})?)$/,
  style: 'dots',
} as const;

export function decodeRequest(body: JsonObject, headers: HttpHeaders): CanonicalRequest {
  const request = decodeCountTokens(body, headers);
  if (request.maxOutputTokens === undefined) refuse('max_tokens', 'field required');
  return request;
}

/** A request to count tokens: the same body, but `max_tokens` is optional. */
export function decodeCountTokens(origin: JsonObject, headers: HttpHeaders): CanonicalRequest {
  rejectForeign(origin);
  const body = checkRequest(origin);
  if (body.messages.length === 0 && !continuesThread(body))
    refuse('messages', 'at least one message is required');
  const request: CanonicalRequest = {
    model: body.model,
    system: decodeContent(body.system ?? []),
    turns: body.messages.map(({ role, content }) => ({ role, blocks: decodeContent(content) })),
    tools: decodeTools(body.tools),
    ...decodeToolChoice(body.tool_choice),
    stopSequences: body.stop_sequences ?? [],
    sampling: decodeSampling(body),
    stream: body.stream ?? false,
    streamUsage: true,
    choices: 1,
    betas: decodeBetas(headers),
    ...listReferences(origin, PLACES),
    origin: { format: 'messages', body: origin },
  };
  if (body.max_tokens !== undefined) request.maxOutputTokens = body.max_tokens;
  const version = decodeVersion(headers);
  if (version !== undefined) request.version = version;
  const sessionId = decodeSessionId(headers);
  if (sessionId !== undefined) request.sessionId = sessionId;
  const clientHeaders = decodeClientHeaders(headers);
  if (clientHeaders) request.clientHeaders = clientHeaders;
  addOptions(request, body);
  if (isJsonObject(body.thread) || isJsonObject(body.diagnostics)) request.isAnswerKept = true;
  return request;
}

function addOptions(request: CanonicalRequest, body: MessagesCountBody): void {
  const { output_config: config, metadata, service_tier: tier } = body;
  const reasoning = decodeReasoning(body);
  if (reasoning) request.reasoning = reasoning;
  const output = decodeOutput(config?.format) ?? decodeOutput(body.output_format);
  if (output) request.output = output;
  const endUser = metadata?.user_id;
  if (typeof endUser === 'string') request.endUser = endUser;
  if (typeof tier === 'string') request.serviceTier = tier;
  const own = pickOwnFields(request.origin.body, config?.task_budget);
  if (own) request.extra = { messages: own };
}

function decodeSampling({ temperature, top_p: topP, top_k: topK }: MessagesCountBody): Sampling {
  const sampling: Sampling = {};
  if (typeof temperature === 'number') sampling.temperature = temperature;
  if (typeof topP === 'number') sampling.topP = topP;
  if (typeof topK === 'number') sampling.topK = topK;
  return sampling;
}

function decodeReasoning({
  thinking,
  output_config: config,
}: MessagesCountBody): ReasoningOptions | undefined {
  const requested: ReasoningOptions = {};
  if (thinking) addThinking(requested, thinking);
  const effort = EFFORTS.find((known) => known === config?.effort);
  if (effort) requested.effort = effort;
  return Object.keys(requested).length > 0 ? requested : undefined;
}

function addThinking(requested: ReasoningOptions, thinking: NonNullable<MessagesBody['thinking']>): void {
  const { type, display } = thinking;
  if (type === 'disabled') requested.mode = 'off';
  else if (type === 'adaptive') requested.mode = 'adaptive';
  else if (type === 'between_tools') requested.mode = 'between-tools';
  else if ('budget_tokens' in thinking && type === 'enabled') {
    requested.mode = 'budget';
    requested.budgetTokens = thinking.budget_tokens;
  }
  if (typeof display === 'string') requested.display = display;
}

function decodeOutput(format: MessagesBody['output_format']): OutputShape | undefined {
  if (format?.type !== 'json_schema' || !('schema' in format)) return undefined;
  return { type: 'json-schema', name: 'output', schema: format.schema, strict: true };
}

function pickOwnFields(body: Members<MessagesBody>, taskBudget: unknown): JsonObject | undefined {
  const own: Members<MessagesBody> = {};
  for (const name of MESSAGES_ONLY_FIELDS) if (isPresent(body[name])) own[name] = body[name];
  if (taskBudget !== undefined) Object.assign(own, { output_config: { task_budget: taskBudget } });
  return Object.keys(own).length > 0 ? own : undefined;
}
