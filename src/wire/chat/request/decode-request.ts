import type { JsonObject } from '#base';
import { decodeJsonSchema } from '../../request/decode-json-schema.ts';
import type { CanonicalRequest, OutputShape, Sampling } from '#canonical';
import { GatewayError } from '#errors';
import { keepLabels } from '../../request/labels.ts';
import { listReferences } from '../../objects/references.ts';
import { decodeTurns } from './decode-turns.ts';
import { decodeReasoning } from './decode-reasoning.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { type MessagesBody, findMessagesPaths } from './foreign-format.ts';
import { checkRequest } from './check-request.ts';
import { type ChatBody, type ChatResponseFormat, OWN_FIELDS } from '../schema.ts';
import { isObject, isPresent } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

/** Known fields of the format that the neutral model lacks, in the order in which they are sent. */
export const EXTRA_FIELDS = [...OWN_FIELDS, 'metadata' as const, 'prompt_cache_key' as const].sort();

/** Where a body refers to other models and to account objects. */
const PLACES = {
  conversation: ['messages'],
  settings: ['tools', 'audio', 'moderation', 'prediction', 'prompt_cache_options', 'web_search_options'],
  tools: /^(?:function|custom)$/,
  style: 'brackets',
} as const;

/** Decodes a Chat Completions body; refuses invalid members by path. */
export function decodeRequest(body: MessagesBody & Members<ChatBody>): CanonicalRequest {
  if (body.system !== undefined) return rejectForeign(findMessagesPaths(body));
  try {
    return readRequest(checkRequest(body), body);
  } catch (thrown) {
    const paths = thrown instanceof GatewayError ? findMessagesPaths(body) : [];
    if (paths.length > 0) return rejectForeign(paths);
    throw thrown;
  }
}

function rejectForeign(paths: string[]): never {
  const message = `this body is built for the Messages format (${paths.join(', ')}); send it to /v1/messages`;
  const [first] = paths;
  throw new GatewayError(
    'wrong_format',
    message,
    first === undefined ? {} : { param: first.split(' ')[0] ?? first },
  );
}

function readRequest(body: ChatBody, origin: JsonObject): CanonicalRequest {
  const { system, turns } = decodeTurns(body.messages);
  const request: CanonicalRequest = {
    model: body.model,
    system,
    turns,
    tools: decodeTools(body),
    stopSequences: [body.stop ?? []].flat(),
    sampling: readSampling(body),
    stream: body.stream ?? false,
    streamUsage: body.stream_options?.include_usage ?? asksUsage(body),
    choices: body.n ?? 1,
    betas: [],
    ...listReferences(origin, PLACES),
    origin: { format: 'chat', body: origin },
  };
  const most = body.max_completion_tokens ?? body.max_tokens;
  if (typeof most === 'number') request.maxOutputTokens = most;
  readOptions(body, request);
  const endUser = body.safety_identifier ?? body.user;
  if (endUser) request.endUser = endUser;
  if (body.service_tier) request.serviceTier = body.service_tier;
  const extra = readExtra(origin);
  if (extra) request.extra = { chat: extra };
  return request;
}

function readOptions(body: ChatBody, request: CanonicalRequest): void {
  const { tools, parallel_tool_calls: parallel, response_format: format } = body;
  const choice = decodeToolChoice(body);
  if (choice) request.toolChoice = choice;
  if (typeof parallel === 'boolean') request.parallelToolCalls = parallel;
  if (request.tools.length > 0 && !tools?.length) {
    request.legacyCalls = true;
    request.parallelToolCalls = false;
  }
  const reasoning = decodeReasoning(body);
  if (reasoning) request.reasoning = reasoning;
  const output = format && decodeOutput(format);
  if (output) request.output = output;
}

function asksUsage({ usage }: ChatBody): boolean {
  return isObject(usage) && usage.include === true;
}

function readSampling(body: ChatBody): Sampling {
  const sampling: Sampling = {};
  for (const [name, key] of SAMPLING) {
    const value = body[key];
    if (typeof value === 'number') sampling[name] = value;
  }
  return sampling;
}

const SAMPLING = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['seed', 'seed'],
] as const satisfies readonly (readonly [keyof Sampling, keyof ChatBody])[];

function decodeOutput(format: ChatResponseFormat): OutputShape | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  return decodeJsonSchema(format.json_schema);
}

function readExtra(body: Members<ChatBody>): JsonObject | undefined {
  const extra: JsonObject = {};
  for (const field of EXTRA_FIELDS) if (isPresent(body[field])) extra[field] = body[field];
  keepLabels(extra);
  return Object.keys(extra).length > 0 ? extra : undefined;
}
