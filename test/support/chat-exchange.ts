import type { JsonObject, JsonValue, SseMessage } from '#base';
import {
  CHAT_DIALECT,
  type CanonicalRequest,
  Collector,
  type Dialect,
  type GenerationEvent,
  type GenerationResult,
  type Target,
} from '#canonical';
import { chatInbound, chatOutbound } from '../../src/wire/chat/index.ts';
import { type Exchange, type ReplyContext, isFailure } from '../../src/wire/contract.ts';

/** Only the Chat room, without its sibling formats. */
export function createChatTarget(dialect: Partial<Dialect> = {}, rest: Partial<Target> = {}): Target {
  return {
    providerId: 'provider',
    externalId: 'upstream-model',
    dialect: { ...CHAT_DIALECT, ...dialect },
    reasoning: true,
    ...rest,
  };
}

export function decodeChat(fields: JsonObject): CanonicalRequest {
  const messages = [{ role: 'user', content: 'Hello.' }];
  return chatInbound.decodeRequest({ model: 'client-model', messages, ...fields }, {});
}

export function openChat(request: CanonicalRequest, dialect: Partial<Dialect> = {}): Exchange {
  return chatOutbound.openExchange(request, createChatTarget(dialect));
}

/** The body that would be sent for a request. */
export function encodeChat(request: CanonicalRequest, dialect: Partial<Dialect> = {}): JsonObject {
  return openChat(request, dialect).body;
}

export function createReplyContext(fields: JsonObject = {}): ReplyContext {
  const request = decodeChat(fields);
  return {
    request,
    answerId: 'chatcmpl-answer',
    model: request.model,
    createdSeconds: 1_700_000_000,
    inputEstimate: 42,
  };
}

/** The events of a stream of payloads: objects, or text as it came. */
export function decodePayloads(
  payloads: Iterable<JsonValue>,
  dialect: Partial<Dialect> = {},
): GenerationEvent[] {
  const decoder = openChat(decodeChat({}), dialect).createStreamDecoder();
  const events: GenerationEvent[] = [];
  for (const payload of payloads) {
    const message: SseMessage = { data: typeof payload === 'string' ? payload : JSON.stringify(payload) };
    events.push(...decoder.push(message));
  }
  return [...events, ...decoder.close()];
}

/** A result from a complete stream; a stream that failed is a failed test. */
export function collectPayloads(
  payloads: Iterable<JsonValue>,
  dialect: Partial<Dialect> = {},
): GenerationResult {
  const collector = new Collector();
  for (const event of decodePayloads(payloads, dialect)) {
    if (event.type === 'generation-error') throw new Error(event.failure.message);
    collector.push(event);
  }
  return collector.result;
}

export function decodeBody(body: JsonObject, dialect: Partial<Dialect> = {}): GenerationResult {
  const result = openChat(decodeChat({}), dialect).decodeResult(body);
  if (isFailure(result)) throw new Error(`${result.kind}: ${result.message}`);
  return result;
}

/** One chunk of a stream around a delta. */
export function toChunk(delta: JsonObject, rest: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream-model',
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  };
}

/** The chunk that ends a stream. */
export function toLastChunk(finish: string, usage?: JsonObject): JsonObject {
  const chunk = toChunk({}, { finish_reason: finish });
  return usage ? { ...chunk, usage } : chunk;
}

/** A chunk with parts of tool calls. */
export function toolChunk(...calls: JsonObject[]): JsonObject {
  return toChunk({ tool_calls: calls });
}

/** The tool calls of a complete stream. */
export function callsOf(payloads: JsonValue[]): { id: string; name: string; json: string }[] {
  return collectPayloads(payloads).blocks.flatMap((block) =>
    block.type === 'tool-call' && 'json' in block.input
      ? [{ id: block.id, name: block.name, json: block.input.json }]
      : [],
  );
}

/** A schema of the strict subset. */
export const CLOSED_SCHEMA: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
