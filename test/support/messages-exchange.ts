import assert from 'node:assert/strict';
import { type HttpHeaders, type JsonObject, type SseMessage, parseJsonObject } from '#base';
import {
  type CanonicalRequest,
  type Dialect,
  type GenerationEvent,
  type GenerationResult,
  MESSAGES_DIALECT,
  type Target,
} from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { ReplyContext } from '../../src/wire/contract.ts';
import { isFailure } from '../../src/wire/contract.ts';
import { messagesInbound, messagesOutbound } from '../../src/wire/messages/index.ts';
import { createForeignRequest } from './foreign-request.ts';

const MINIMAL: JsonObject = {
  model: 'claude-x',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hi' }],
};

/** A minimal Messages body with the test's own members. */
export function createMessagesBody(members: JsonObject = {}): JsonObject {
  return { ...MINIMAL, ...members };
}

export function decodeMessages(members: JsonObject = {}, headers: HttpHeaders = {}): CanonicalRequest {
  return messagesInbound.decodeRequest(createMessagesBody(members), headers);
}

/** A simple request as the Chat decoder returns it. */
export function createChatRequest(members: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return createForeignRequest({ model: 'claude-x', origin: { format: 'chat', body: {} }, ...members });
}

export function createMessagesTarget(dialect: Partial<Dialect> = {}, facts: Partial<Target> = {}): Target {
  return {
    providerId: 'acme',
    externalId: 'claude-x-20260101',
    dialect: { ...MESSAGES_DIALECT, ...dialect },
    reasoning: true,
    ...facts,
  };
}

export function createMessagesContext(members: Partial<ReplyContext> = {}): ReplyContext {
  return {
    request: decodeMessages(),
    answerId: 'msg_answer',
    model: 'claude-x',
    createdSeconds: 1_770_000_000,
    inputEstimate: 42,
    ...members,
  };
}

/** The encoded body of a request. */
export function encodeFor(request: CanonicalRequest, target = createMessagesTarget()): JsonObject {
  return messagesOutbound.openExchange(request, target).body;
}

/** The events decoded from an upstream's payloads, including the end of the stream. */
export function readPayloads(payloads: readonly JsonObject[]): GenerationEvent[] {
  return readMessages(payloads.map((payload) => ({ data: JSON.stringify(payload) })));
}

export function readMessages(messages: readonly SseMessage[]): GenerationEvent[] {
  const decoder = messagesOutbound
    .openExchange(decodeMessages(), createMessagesTarget())
    .createStreamDecoder();
  return [...messages.flatMap((message) => decoder.push(message)), ...decoder.close()];
}

/** The result decoded from an upstream's body. */
export function readMessage(body: JsonObject): GenerationResult {
  const result = messagesOutbound.openExchange(decodeMessages(), createMessagesTarget()).decodeResult(body);
  if (isFailure(result)) throw new Error(`a failure: ${result.message}`);
  return result;
}

export function encodeStream(
  events: readonly GenerationEvent[],
  context = createMessagesContext(),
): SseMessage[] {
  const encoder = messagesInbound.createStreamEncoder(context);
  return events.flatMap((event) => encoder.push(event));
}

/** The payloads a client gets, parsed, without the pings. */
export function writePayloads(
  events: readonly GenerationEvent[],
  context = createMessagesContext(),
): JsonObject[] {
  return encodeStream(events, context)
    .filter((message) => message.event !== 'ping')
    .map((message) => parseJsonObject(message.data) ?? {});
}

/** Payloads an upstream streams. */
export const MESSAGE_START: JsonObject = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-up',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 43, output_tokens: 1, service_tier: 'standard' },
  },
};
export const openBlock = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
export const growBlock = (index: number, delta: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta,
});
export const growText = (index: number, text: string): JsonObject =>
  growBlock(index, { type: 'text_delta', text });
export const closeBlock = (index: number): JsonObject => ({ type: 'content_block_stop', index });
export const TEXT_BLOCK = { type: 'text', text: '' };
export const endMessage = (reason: string | null, usage?: JsonObject): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  ...(usage && { usage }),
});
export const MESSAGE_STOP: JsonObject = { type: 'message_stop' };
export const MESSAGE_END = [endMessage('end_turn', { output_tokens: 9 }), MESSAGE_STOP];

/** The failure that ends a stream. */
export function failureOf(events: readonly GenerationEvent[]): UpstreamFailure {
  const last = events.at(-1);
  assert.ok(last?.type === 'generation-error', JSON.stringify(events));
  return last.failure;
}
