import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { SdkFormat, SdkView } from './sdk-views.ts';

/**
 * Members with values of this gateway: names, ids and times it generates, and those that repeat the caller's request.
 */
const OURS: Record<SdkFormat, ReadonlySet<string>> = {
  messages: new Set(['model']),
  chat: new Set(['model', 'created', 'cost', 'metadata', 'cost_in_usd_ticks', 'obfuscation']),
  responses: new Set(['model', 'sequence_number', 'cost', 'cost_in_usd_ticks']),
  gemini: new Set(['modelVersion', 'sdkHttpResponse']),
};

/** And of a `response`. */
const OURS_OF_RESPONSE: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'store',
  'background',
  'billing',
  'conversation',
  'input',
  'instructions',
  'metadata',
  'previous_response_id',
  'prompt_cache_key',
  'safety_identifier',
  'user',
]);

/**
 * An SDK's output, normalized where the format leaves the split into events open, and without the gateway's own
 * members.
 */
export function foldView(format: SdkFormat, view: SdkView): JsonValue {
  const reported = dropMembers(view as unknown as JsonValue, OURS[format]) as JsonObject;
  const events = reported['events'] as JsonObject[];
  switch (format) {
    case 'messages':
      return { ...reported, events: foldMessages(events) };
    case 'responses':
      return { ...reported, events: numberItems(events).map(foldResponse) };
    case 'chat':
      return { error: reported['error'] ?? null, answer: foldChat(events) };
    case 'gemini':
      return { error: reported['error'] ?? null, answer: foldGemini(events) };
  }
}

function dropMembers(value: JsonValue, names: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => dropMembers(item, names));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, dropMembers(item as JsonValue, names)]));
}

/** Without pings and empty deltas; blocks inside `message_start` as events; arguments as deltas. */
function foldMessages(events: readonly JsonObject[]): JsonObject[] {
  return events.flatMap((event) => {
    if (event['type'] === 'message_start') return unfoldStart(event);
    return event['type'] === 'content_block_start' ? unfoldCall(event) : isSilent(event) ? [] : [event];
  });
}

function unfoldStart(event: JsonObject): JsonObject[] {
  const message = event['message'] as JsonObject;
  const content = message['content'] as JsonObject[];
  if (content.length === 0) return [event];
  const { stop_reason: reason, stop_sequence: sequence, container = null, usage, ...rest } = message;
  const blocks = content.flatMap((block, index) => [
    ...unfoldCall({ type: 'content_block_start', index, content_block: block }),
    { type: 'content_block_stop', index },
  ]);
  const delta = { stop_reason: reason, stop_sequence: sequence, container } as JsonObject;
  const start = {
    ...rest,
    container,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  } as JsonObject;
  return [{ ...event, message: start }, ...blocks, { type: 'message_delta', delta, usage }];
}

function unfoldCall(event: JsonObject): JsonObject[] {
  const block = event['content_block'] as JsonObject;
  if (block['type'] !== 'tool_use' || Object.keys((block['input'] ?? {}) as JsonObject).length === 0)
    return [event];
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
  const opening = { ...event, content_block: { ...block, input: {} } };
  return [opening, { type: 'content_block_delta', index: event['index'] ?? 0, delta }];
}

function isSilent({ type, delta }: JsonObject): boolean {
  if (type === 'ping') return true;
  if (type !== 'content_block_delta' || !isJsonObject(delta)) return false;
  if (delta['partial_json'] === '{}') return true;
  return Object.entries(delta).every(([name, value]) => name === 'type' || value === '');
}

/** Items by their order of arrival: upstreams skip numbers. */
function numberItems(events: readonly JsonObject[]): JsonObject[] {
  const places = new Map<JsonValue, number>();
  return events.map((event) => {
    const { output_index: index } = event;
    if (index === undefined) return event;
    if (!places.has(index)) places.set(index, places.size);
    return { ...event, output_index: places.get(index) ?? 0 };
  });
}

function foldResponse(event: JsonObject): JsonObject {
  const { response } = event;
  if (isJsonObject(response)) return { ...event, response: dropOwn(response) };
  return event['object'] === 'response' ? dropOwn(event) : event;
}

function dropOwn(response: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(response).filter(([name]) => !OURS_OF_RESPONSE.has(name)));
}

/** Chunks, or a completion, as one completion: texts joined, calls by index, otherwise the last value. */
function foldChat(events: readonly JsonObject[]): JsonObject {
  const answer: JsonObject = {};
  const message: JsonObject = {};
  const calls = new Map<JsonValue, JsonObject>();
  for (const { choices, ...top } of events) {
    assignPresent(answer, omit(top, 'object'));
    for (const choice of (choices ?? []) as JsonObject[]) {
      const { delta, message: whole, ...rest } = choice;
      assignPresent(answer, omit(rest, 'index'));
      foldChatDelta(message, calls, (delta ?? whole ?? {}) as JsonObject);
    }
  }
  if (calls.size > 0) message['tool_calls'] = [...calls.values()];
  return { ...answer, message };
}

function foldChatDelta(message: JsonObject, calls: Map<JsonValue, JsonObject>, delta: JsonObject): void {
  const {
    content,
    reasoning,
    reasoning_content: thinking,
    tool_calls: fragments,
    annotations,
    ...rest
  } = delta;
  assignPresent(message, omit(rest, 'index'));
  if (Array.isArray(content)) for (const part of content) foldPart(message, part as JsonObject);
  else join(message, 'content', content);
  join(message, 'reasoning_content', thinking ?? reasoning);
  if (Array.isArray(annotations) && annotations.length > 0)
    message['annotations'] = [...((message['annotations'] ?? []) as JsonValue[]), ...annotations];
  ((fragments ?? []) as JsonObject[]).forEach((fragment, at) => foldFragment(calls, fragment, at));
}

/** Mistral's content in parts: text and thinking, as elsewhere in Chat. */
function foldPart(message: JsonObject, { type, text, thinking }: JsonObject): void {
  if (type === 'text') join(message, 'content', text);
  for (const piece of (thinking ?? []) as JsonObject[]) join(message, 'reasoning_content', piece['text']);
}

function foldFragment(calls: Map<JsonValue, JsonObject>, fragment: JsonObject, at: number): void {
  const { index = at, function: called, ...rest } = fragment;
  const key = index ?? at;
  const call = calls.get(key) ?? { type: 'function' };
  calls.set(key, call);
  for (const [name, value] of Object.entries(omit(rest, 'type')))
    if (value !== '' && value !== null) call[name] = value;
  const { name, arguments: json } = (called ?? {}) as JsonObject;
  if (typeof name === 'string' && name !== '') call['name'] = name;
  join(call, 'arguments', json);
}

function omit(object: JsonObject, name: string): JsonObject {
  const kept = { ...object };
  Reflect.deleteProperty(kept, name);
  return kept;
}

function join(into: JsonObject, name: string, text: JsonValue | undefined): void {
  if (typeof text !== 'string' || text === '') return;
  const before = into[name];
  into[name] = typeof before === 'string' ? before + text : text;
}

/** `null`, and an empty text or list, are ignored. */
function assignPresent(into: JsonObject, from: JsonObject): void {
  for (const [name, value] of Object.entries(from)) {
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) into[name] = value;
  }
}

/** Chunks, or an answer, as one answer: texts joined, arguments whole, signatures in order, the last usage. */
function foldGemini(events: readonly JsonObject[]): JsonObject {
  const answer: JsonObject = {};
  const parts: JsonObject = { calls: [], signatures: [], others: [] };
  for (const { candidates, ...top } of events) {
    assignPresent(answer, top);
    for (const candidate of (candidates ?? []) as JsonObject[]) {
      const { content, ...rest } = candidate;
      assignPresent(answer, omit(rest, 'index'));
      const reported = (isJsonObject(content) ? (content['parts'] ?? []) : []) as JsonObject[];
      for (const part of reported) foldGeminiPart(parts, part);
    }
  }
  return { ...answer, parts };
}

function foldGeminiPart(parts: JsonObject, part: JsonObject): void {
  const { text, thought, thoughtSignature: signature, functionCall: call, ...other } = part;
  join(parts, thought === true ? 'thoughts' : 'text', text);
  if (signature !== undefined) (parts['signatures'] as JsonValue[]).push(signature);
  if (isJsonObject(call)) foldGeminiCall(parts['calls'] as JsonObject[], call);
  if (Object.keys(other).length > 0) (parts['others'] as JsonValue[]).push(other);
}

/** Joins arguments in pieces by their paths, as users of the SDK must. */
function foldGeminiCall(calls: JsonObject[], { name, args, partialArgs }: JsonObject): void {
  if (typeof name === 'string') calls.push({ name, args: args ?? {} });
  const open = calls.at(-1);
  if (!open) return;
  for (const piece of (partialArgs ?? []) as JsonObject[]) placeArgument(open['args'] as JsonObject, piece);
}

function placeArgument(args: JsonObject, { jsonPath, ...reported }: JsonObject): void {
  const path = [...(jsonPath as string).matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(
    ([, key, at]) => key ?? Number(at),
  );
  let owner = args as Record<string | number, JsonValue | undefined>;
  path.slice(0, -1).forEach((key, at) => {
    owner[key] ??= typeof path[at + 1] === 'number' ? [] : {};
    owner = owner[key] as unknown as Record<string | number, JsonValue | undefined>;
  });
  const last = path.at(-1) ?? '';
  const [value] = Object.values(omit(reported, 'willContinue'));
  const before = owner[last];
  owner[last] = typeof before === 'string' && typeof value === 'string' ? before + value : value;
}

/** Members this gateway adds where an upstream leaves them out, so that every client finds them. */
const ADDED: ReadonlySet<string> = new Set([
  'cache_creation',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'stop_sequence',
  'container',
  'service_tier',
  'inference_geo',
  'server_tool_use',
  'iterations',
  'completion_tokens_details',
  'prompt_tokens_details',
  'reasoning_tokens',
  'audio_tokens',
  'cache_write_tokens',
  'annotations',
  'cached_tokens',
  'input_tokens_details',
  'output_tokens_details',
  'total_tokens',
  'image_tokens',
  'error',
  'incomplete_details',
  'status',
  'finishReason',
  'usage',
  'args',
  'role',
  'responseId',
  'thoughtsTokenCount',
  'background',
  'max_output_tokens',
  'max_tool_calls',
  'parallel_tool_calls',
  'reasoning',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'prompt_cache_retention',
]);

/** `through` without what this gateway added to it, for a comparison with `direct`. */
export function withoutAdded(direct: JsonValue, through: JsonValue): JsonValue {
  if (Array.isArray(direct) && Array.isArray(through))
    return through.map((item, at) => withoutAdded(direct[at] ?? null, item));
  if (!isJsonObject(direct) || !isJsonObject(through)) return through;
  const kept = Object.entries(through).filter(([name]) => name in direct || !ADDED.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, withoutAdded(direct[name] ?? null, value as JsonValue)]),
  );
}
