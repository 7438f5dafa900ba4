import { type JsonObject, isJsonObject } from '#base';
import { decodeJsonSchema } from '../../request/decode-json-schema.ts';
import type { Block, CanonicalRequest, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { createParamError } from '#errors';
import { isPresent, itemsOf, refuseUnsupported } from '../../body/read-field.ts';
import { decodeThinking } from '../../request/asked-thinking.ts';
import { keepLabels } from '../../request/labels.ts';
import { listReferences } from '../../objects/references.ts';
import type { Members } from '../../body/unchecked.ts';
import { checkRequest } from './check-request.ts';
import { decodeTurns } from './decode-turns.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { PLACES, RESPONSES_ONLY_FIELDS } from '../fields.ts';
import type { ResponsesBody, ResponsesJoined, ResponsesTextFormat } from '../schema.ts';

const MOST_LOGPROBS = 20;

/** Decodes a Responses body; `previous_response_id` is already expanded into its items. */
export function decodeRequest(origin: JsonObject): CanonicalRequest {
  rejectForeign(origin);
  refuseAbsentFeatures(origin);
  const body = checkRequest(origin);
  const { tools, naming } = decodeTools(body);
  const { system, turns } = decodeTurns(body.input, naming);
  const request: CanonicalRequest = {
    model: body.model,
    system: [...decodeInstructions(body.instructions), ...system],
    turns,
    tools,
    stopSequences: [],
    sampling: decodeSampling(body),
    stream: body.stream ?? false,
    streamUsage: true,
    choices: 1,
    betas: [],
    ...listReferences(origin, PLACES),
    origin: { format: 'responses', body: origin },
  };
  const choice = decodeToolChoice(body.tool_choice, naming);
  if (choice) request.toolChoice = choice;
  addOptions(request, body);
  const extra = findExtra(origin);
  if (extra) request.extra = { responses: extra };
  return request;
}

function rejectForeign(body: Members<{ messages: unknown; input: unknown }>): void {
  if (body.messages === undefined || body.input !== undefined) return;
  const complaint =
    'this body is built for Chat Completions; send it to /v1/chat/completions, or send the conversation in `input`';
  throw createParamError('messages', complaint, 'wrong_format');
}

/** Refuses unsupported features by name, because omitting them would change the answer. */
function refuseAbsentFeatures(body: Members<ResponsesBody>): void {
  const { background, conversation, prompt, top_logprobs: logprobs, include } = body;
  if (background === true)
    refuseUnsupported('background', 'background responses are not supported; omit it or send false');
  if (isPresent(conversation))
    refuseUnsupported('conversation', 'conversations are not supported; use previous_response_id');
  if (isPresent(prompt))
    refuseUnsupported('prompt', 'stored prompts are not supported; send the prompt text itself');
  if (Number.isInteger(logprobs) && Number(logprobs) > 0 && Number(logprobs) <= MOST_LOGPROBS)
    refuseUnsupported('top_logprobs', 'log probabilities are not supported on /v1/responses');
  if (itemsOf(include).includes('message.output_text.logprobs'))
    refuseUnsupported('include', 'log probabilities are not supported on /v1/responses');
}

function decodeInstructions(text: string | null | undefined): Block[] {
  return text ? [{ type: 'text', text }] : [];
}

function decodeSampling({ temperature, top_p: topP }: ResponsesBody): Sampling {
  const sampling: Sampling = {};
  if (typeof temperature === 'number') sampling.temperature = temperature;
  if (typeof topP === 'number') sampling.topP = topP;
  return sampling;
}

function addOptions(request: CanonicalRequest, body: ResponsesJoined): void {
  const { parallel_tool_calls: parallel, max_output_tokens: most, service_tier: tier } = body;
  if (typeof parallel === 'boolean') request.parallelToolCalls = parallel;
  if (typeof most === 'number') request.maxOutputTokens = most;
  const reasoning = decodeReasoning(body.reasoning);
  if (reasoning) request.reasoning = reasoning;
  const format = body.text?.format;
  const output = format && decodeOutput(format);
  if (output) request.output = output;
  const endUser = body.safety_identifier ?? body.user;
  if (endUser) request.endUser = endUser;
  if (tier) request.serviceTier = tier;
}

function decodeReasoning(given: ResponsesBody['reasoning']): ReasoningOptions | undefined {
  if (!given) return undefined;
  const { effort, summary, generate_summary: before, max_tokens: budgetTokens, enabled } = given;
  const asked = decodeThinking({ effort, budgetTokens, isOn: enabled });
  if (asked.mode === 'off') return asked;
  const requested: ReasoningOptions = {
    ...asked,
    ...(isPresent(summary ?? before ?? undefined) && { display: 'summarized' }),
  };
  return Object.keys(requested).length > 0 ? requested : undefined;
}

function decodeOutput(format: ResponsesTextFormat): OutputShape | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  return decodeJsonSchema(format);
}

function findExtra(body: Members<ResponsesBody>): JsonObject | undefined {
  const extra: JsonObject = {};
  for (const field of RESPONSES_ONLY_FIELDS) if (isPresent(body[field])) extra[field] = body[field];
  keepLabels(extra);
  for (const field of ['text', 'reasoning'] as const) {
    const value = body[field];
    if (isJsonObject(value)) extra[field] = value;
  }
  return Object.keys(extra).length > 0 ? extra : undefined;
}
