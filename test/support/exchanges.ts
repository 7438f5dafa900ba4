import type { JsonObject, SseMessage } from '#base';
import {
  CHAT_DIALECT,
  type CanonicalRequest,
  type Dialect,
  type GenerationEvent,
  MESSAGES_DIALECT,
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

export type Format = 'chat' | 'messages';
export const FORMATS: readonly Format[] = ['messages', 'chat'];

const CITY = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };

/** Names of tools that recorded and own answers call. */
const TOOL_NAMES = ['weather', 'webSearchTool', 'get_time'];

/** What a client asks for in its own format: one question, the tools that answers may call. */
export function createClientBody(format: Format, stream: boolean): JsonObject {
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

export function createTarget(format: Format, dialect: Partial<Dialect> = {}): Target {
  const base = format === 'chat' ? CHAT_DIALECT : MESSAGES_DIALECT;
  return {
    providerId: 'provider',
    externalId: 'upstream-model',
    dialect: { ...base, ...dialect },
    maxOutput: 32_000,
    reasoning: true,
  };
}

/** One client request on its way to one upstream, with everything needed to bring the answer back. */
export interface Passage {
  inbound: InboundFormat;
  outbound: OutboundFormat;
  request: CanonicalRequest;
  exchange: Exchange;
  context: ReplyContext;
}

/** Opens the way from a client's format to an upstream's. */
export function openPassage(client: Format, target: Target, upstream: Format): Passage {
  const inbound = getInboundFormat(client);
  const outbound = getOutboundFormat(upstream);
  const request = inbound.decodeRequest(createClientBody(client, true), {});
  return {
    inbound,
    outbound,
    request,
    exchange: outbound.openExchange(request, target),
    context: {
      request,
      answerId: client === 'messages' ? 'msg_answer' : 'chatcmpl-answer',
      model: request.model,
      createdSeconds: 1_700_000_000,
      inputEstimate: 42,
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
