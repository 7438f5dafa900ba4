import type { JsonObject } from '#base';
import type { Truth, UpstreamFormat } from './upstream-exchange.ts';
import { toGemini, toGeminiEvents } from './upstream-answers-gemini.ts';
import { toResponse, toResponseEvents } from './upstream-answers-responses.ts';

/** The mock provider's answer; everything has a realistic default. */
export interface AnswerPlan {
  /** The visible text; by default an echo of the last user message. */
  text?: string;
  /** How many deltas the text is split into when streaming; each counts as one token. */
  chunks?: number;
  /** Thinking before the text, one delta. */
  reasoning?: string;
  /** Tool calls after the text. */
  toolCalls?: {
    id: string;
    name: string;
    input: JsonObject;
    /** The text of a custom tool of Responses, instead of `input`. */
    code?: string;
  }[];
  /** Replaces the usage object of the format; `null` sends none. */
  usage?: JsonObject | null;
  id?: string;
  model?: string;
}

/** One server-sent event of an answer; `tokens` is what it adds to the reported output. */
export interface AnswerEvent {
  event?: string;
  data: string;
  tokens: number;
}

/** A plan with all defaults filled in. */
export interface Filled {
  plan: AnswerPlan;
  truth: Truth;
  deltas: string[];
  tokens: number;
}

function fill(plan: AnswerPlan, truth: Truth): Filled {
  const text = plan.text ?? echoOf(truth);
  const deltas = plan.text === '' ? [] : split(text, plan.chunks ?? Math.min(8, Math.max(1, text.length)));
  const tokens = deltas.length + (plan.reasoning === undefined ? 0 : 1) + (plan.toolCalls?.length ?? 0);
  return { plan, truth, deltas, tokens };
}

function split(text: string, count: number): string[] {
  const units = Array.from(text);
  const at = (part: number) => Math.floor((part * units.length) / count);
  return Array.from({ length: count }, (_, part) => units.slice(at(part), at(part + 1)).join('') || '·');
}

/** The text of the last message that has one. */
function echoOf(truth: Truth): string {
  const { messages, input, contents } = truth.body;
  if (typeof input === 'string') return `echo: ${input}`;
  const turns = [messages, input, contents].find(Array.isArray) as JsonObject[] | undefined;
  const texts = (turns ?? [])
    .map((turn) => textOf(turn['content'] ?? turn['parts']))
    .filter((text) => text !== '');
  return `echo: ${texts.at(-1) ?? ''}`;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as JsonObject[])
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** A complete answer as the JSON body of the request's format. */
export function createAnswer(plan: AnswerPlan, truth: Truth): { body: JsonObject; tokens: number } {
  const filled = fill(plan, truth);
  return { body: BODIES[truth.format](filled, modelOf(filled)), tokens: filled.tokens };
}

/** The same answer as server-sent events. */
export function createAnswerEvents(plan: AnswerPlan, truth: Truth): AnswerEvent[] {
  const filled = fill(plan, truth);
  return EVENTS[truth.format](filled, modelOf(filled));
}

const BODIES: Record<UpstreamFormat, (filled: Filled, model: string) => JsonObject> = {
  chat: toCompletion,
  messages: toMessage,
  responses: toResponse,
  gemini: toGemini,
};

const EVENTS: Record<UpstreamFormat, (filled: Filled, model: string) => AnswerEvent[]> = {
  chat: toChunks,
  messages: toMessageEvents,
  responses: toResponseEvents,
  gemini: toGeminiEvents,
};

function idOf({ plan, truth }: Filled): string {
  return plan.id ?? `${truth.format === 'messages' ? 'msg_mock' : 'chatcmpl-mock'}${truth.number}`;
}

function modelOf({ plan, truth }: Filled): string {
  const asked = truth.body['model'];
  return plan.model ?? (typeof asked === 'string' ? asked : 'mock');
}

function chatUsage({ plan, truth, tokens }: Filled): JsonObject | null {
  if (plan.usage !== undefined) return plan.usage;
  const { inputTokens } = truth;
  return { prompt_tokens: inputTokens, completion_tokens: tokens, total_tokens: inputTokens + tokens };
}

function messagesUsage({ plan, truth }: Filled, outputTokens: number): JsonObject | null {
  if (plan.usage !== undefined) return plan.usage;
  return { input_tokens: truth.inputTokens, output_tokens: outputTokens };
}

function toCompletion(filled: Filled): JsonObject {
  const { plan, deltas } = filled;
  const message: JsonObject = { role: 'assistant', content: deltas.join('') };
  if (plan.reasoning !== undefined) message['reasoning_content'] = plan.reasoning;
  if (plan.toolCalls) message['tool_calls'] = plan.toolCalls.map(toChatCall);
  const body: JsonObject = {
    id: idOf(filled),
    object: 'chat.completion',
    created: 1_700_000_000,
    model: modelOf(filled),
    choices: [{ index: 0, message, finish_reason: plan.toolCalls ? 'tool_calls' : 'stop' }],
  };
  const usage = chatUsage(filled);
  return usage ? { ...body, usage } : body;
}

function toChatCall(call: { id: string; name: string; input: JsonObject }): JsonObject {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  };
}

function toChunks(filled: Filled): AnswerEvent[] {
  const { plan, deltas, truth } = filled;
  const common = {
    id: idOf(filled),
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: modelOf(filled),
  };
  const toChunk = (delta: JsonObject, tokens: number, finish: string | null = null): AnswerEvent => ({
    data: JSON.stringify({ ...common, choices: [{ index: 0, delta, finish_reason: finish }] }),
    tokens,
  });
  const events = [toChunk({ role: 'assistant', content: '' }, 0)];
  if (plan.reasoning !== undefined) events.push(toChunk({ reasoning_content: plan.reasoning }, 1));
  for (const content of deltas) events.push(toChunk({ content }, 1));
  plan.toolCalls?.forEach((call, index) => {
    events.push(toChunk({ tool_calls: [{ index, ...toChatCall(call) }] }, 1));
  });
  events.push(toChunk({}, 0, plan.toolCalls ? 'tool_calls' : 'stop'));
  const usage = chatUsage(filled);
  const wanted = (truth.body['stream_options'] as JsonObject | undefined)?.['include_usage'] === true;
  if (usage && wanted) events.push({ data: JSON.stringify({ ...common, choices: [], usage }), tokens: 0 });
  events.push({ data: '[DONE]', tokens: 0 });
  return events;
}

function headOf(filled: Filled): JsonObject {
  return {
    id: idOf(filled),
    type: 'message',
    role: 'assistant',
    model: modelOf(filled),
    stop_sequence: null,
  };
}

function toMessage(filled: Filled): JsonObject {
  const { plan, deltas, tokens } = filled;
  const content: JsonObject[] = [];
  if (plan.reasoning !== undefined) {
    content.push({ type: 'thinking', thinking: plan.reasoning, signature: 'mock-signature' });
  }
  if (deltas.length > 0) content.push({ type: 'text', text: deltas.join('') });
  for (const call of plan.toolCalls ?? []) content.push({ type: 'tool_use', ...call });
  const usage = messagesUsage(filled, tokens);
  return {
    ...headOf(filled),
    content,
    stop_reason: plan.toolCalls ? 'tool_use' : 'end_turn',
    ...(usage && { usage }),
  };
}

function toMessageEvents(filled: Filled): AnswerEvent[] {
  const { plan, deltas, tokens } = filled;
  const events: AnswerEvent[] = [];
  const add = (type: string, fields: JsonObject, counted = 0): void => {
    events.push({ event: type, data: JSON.stringify({ type, ...fields }), tokens: counted });
  };
  let index = 0;
  const addBlock = (block: JsonObject, blockDeltas: { delta: JsonObject; counted: number }[]): void => {
    add('content_block_start', { index, content_block: block });
    for (const { delta, counted } of blockDeltas) add('content_block_delta', { index, delta }, counted);
    add('content_block_stop', { index });
    index += 1;
  };
  const opening = messagesUsage(filled, 1);
  add('message_start', {
    message: { ...headOf(filled), content: [], stop_reason: null, ...(opening && { usage: opening }) },
  });
  add('ping', {});
  if (plan.reasoning !== undefined) {
    addBlock({ type: 'thinking', thinking: '', signature: '' }, [
      { delta: { type: 'thinking_delta', thinking: plan.reasoning }, counted: 1 },
      { delta: { type: 'signature_delta', signature: 'mock-signature' }, counted: 0 },
    ]);
  }
  if (deltas.length > 0) {
    const parts = deltas.map((text) => ({ delta: { type: 'text_delta', text }, counted: 1 }));
    addBlock({ type: 'text', text: '' }, parts);
  }
  for (const { id, name, input } of plan.toolCalls ?? []) {
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    addBlock({ type: 'tool_use', id, name, input: {} }, [{ delta, counted: 1 }]);
  }
  const closing = messagesUsage(filled, tokens);
  add('message_delta', {
    delta: { stop_reason: plan.toolCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
    ...(closing && { usage: closing }),
  });
  add('message_stop', {});
  return events;
}
