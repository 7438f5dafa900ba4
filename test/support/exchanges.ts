import type { JsonObject, SseMessage } from '#base';
import {
  type CanonicalRequest,
  type ClientFormatId,
  type Dialect,
  FORMAT_DIALECTS,
  type FormatId,
  type GenerationEvent,
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
import { createQuestion } from './ask-as.ts';

/** The formats a client may speak here. */
export type Format = 'chat' | 'messages' | 'responses';
export const FORMATS: readonly Format[] = ['messages', 'chat', 'responses'];
/** Those, and the format whose address says what other bodies say. */
export const CLIENTS: readonly ClientFormatId[] = [...FORMATS, 'gemini'];

const CITY = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };

/** Names of tools that recorded and generated answers call. */
const TOOL_NAMES = ['weather', 'webSearchTool', 'get_time'];

/** A client's request in its own format: one question, and the tools that answers may call. */
function createClientBody(format: ClientFormatId): JsonObject {
  const tools = TOOL_NAMES.map((name) => ({ name, description: 'A tool.', schema: CITY }));
  return {
    ...createQuestion(format, { model: 'client-model', stream: true, most: 1024, tools }),
    ...(format === 'chat' && { stream_options: { include_usage: true } }),
  };
}

export function createTarget(format: FormatId, dialect: Partial<Dialect> = {}): Target {
  return {
    providerId: 'provider',
    externalId: 'upstream-model',
    dialect: { ...FORMAT_DIALECTS[format], ...dialect },
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
  const request = inbound.decodeRequest(createClientBody(client), {});
  const echo = inbound.createEcho?.(request);
  return {
    inbound,
    outbound,
    request,
    exchange: outbound.openExchange(request, target),
    context: {
      request,
      answerId: `${inbound.answerIdPrefix}answer`,
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
