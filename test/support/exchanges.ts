import type { JsonObject, SseMessage } from '#base';
import {
  CHAT_DIALECT,
  CONVERSE_DIALECT,
  type CanonicalRequest,
  type ClientFormatId,
  type Dialect,
  type FormatId,
  GEMINI_DIALECT,
  type GenerationEvent,
  MESSAGES_DIALECT,
  RESPONSES_DIALECT,
  type Target,
} from '#canonical';
import {
  type Exchange,
  type InboundFormat,
  type OutboundFormat,
  type ReplyContext,
  getInboundFormat,
  getOutboundFormat,
} from '#wire';

/** The formats a client may speak here. */
export type Format = 'chat' | 'messages' | 'responses';
export const FORMATS: readonly Format[] = ['messages', 'chat', 'responses'];
/** Those, and the format whose address says what other bodies say. */
export const CLIENTS: readonly ClientFormatId[] = [...FORMATS, 'gemini'];

const DIALECTS: Record<FormatId, Dialect> = {
  chat: CHAT_DIALECT,
  converse: CONVERSE_DIALECT,
  gemini: GEMINI_DIALECT,
  messages: MESSAGES_DIALECT,
  responses: RESPONSES_DIALECT,
};
const ANSWER_IDS: Record<ClientFormatId, string> = {
  chat: 'chatcmpl-answer',
  gemini: 'answer',
  messages: 'msg_answer',
  responses: 'resp_answer',
};

const CITY = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };

/** Names of tools that recorded and generated answers call. */
const TOOL_NAMES = ['weather', 'webSearchTool', 'get_time'];

/** A client's request in its own format: one question, and the tools that answers may call. */
function createClientBody(format: ClientFormatId, stream: boolean): JsonObject {
  if (format === 'gemini') return createGeminiBody();
  if (format === 'responses') return createResponsesBody(stream);
  const common: JsonObject = {
    model: 'client-model',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'Hello.' }],
    stream,
  };
  if (format === 'messages') {
    return {
      ...common,
      tools: TOOL_NAMES.map((name) => ({ name, description: 'A tool.', input_schema: CITY })),
    };
  }
  const tools = TOOL_NAMES.map((name) => ({
    type: 'function',
    function: { name, description: 'A tool.', parameters: CITY },
  }));
  return { ...common, tools, ...(stream && { stream_options: { include_usage: true } }) };
}

function createGeminiBody(): JsonObject {
  const functionDeclarations = TOOL_NAMES.map((name) => ({ name, description: 'A tool.', parameters: CITY }));
  return {
    model: 'models/client-model',
    contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
    tools: [{ functionDeclarations }],
    generationConfig: { maxOutputTokens: 1024 },
  };
}

function createResponsesBody(stream: boolean): JsonObject {
  return {
    model: 'client-model',
    max_output_tokens: 1024,
    input: 'Hello.',
    stream,
    tools: TOOL_NAMES.map((name) => ({
      type: 'function',
      name,
      description: 'A tool.',
      parameters: CITY,
      strict: false,
    })),
  };
}

export function createTarget(format: FormatId, dialect: Partial<Dialect> = {}): Target {
  return {
    providerId: 'provider',
    externalId: 'upstream-model',
    dialect: { ...DIALECTS[format], ...dialect },
    maxOutput: 32_000,
    reasoning: true,
  };
}

/** One client request to one upstream, with everything needed to return the answer. */
export interface Passage {
  inbound: InboundFormat;
  outbound: OutboundFormat;
  request: CanonicalRequest;
  exchange: Exchange;
  context: ReplyContext;
}

/** Opens an exchange from a client's format to an upstream's. */
export function openPassage(client: ClientFormatId, target: Target, upstream: FormatId): Passage {
  const inbound = getInboundFormat(client);
  const outbound = getOutboundFormat(upstream);
  const request = inbound.decodeRequest(createClientBody(client, true), {});
  const echo = inbound.createEcho?.(request);
  return {
    inbound,
    outbound,
    request,
    exchange: outbound.openExchange(request, target),
    context: {
      request,
      answerId: ANSWER_IDS[client],
      model: request.model,
      createdSeconds: 1_700_000_000,
      inputEstimate: 42,
      ...(echo && { echo }),
    },
  };
}

/** The events of a whole upstream stream. */
export function decodeStream(exchange: Exchange, messages: Iterable<SseMessage>): GenerationEvent[] {
  const decoder = exchange.createStreamDecoder();
  const events: GenerationEvent[] = [];
  for (const message of messages) events.push(...decoder.push(message));
  events.push(...decoder.close());
  return events;
}

/** The frames a client sees. */
export function encodeStream(
  inbound: InboundFormat,
  context: ReplyContext,
  events: Iterable<GenerationEvent>,
): SseMessage[] {
  const encoder = inbound.createStreamEncoder(context);
  const frames: SseMessage[] = [];
  for (const event of events) frames.push(...encoder.push(event));
  return frames;
}
