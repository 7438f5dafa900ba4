import type { JsonObject, SseMessage } from '#base';
import {
  type CanonicalRequest,
  type Dialect,
  GEMINI_DIALECT,
  type GenerationEvent,
  type GenerationResult,
  type Target,
  type Turn,
  toEvents,
} from '#canonical';
import { type Exchange, type InboundFormat, type ReplyContext, isFailure } from '../../src/wire/contract.ts';
import { createGeminiInbound, geminiOutbound } from '../../src/wire/gemini/index.ts';
import { createForeignRequest } from './foreign-request.ts';

/** Only the Gemini room, without its sibling formats. */
export function createGeminiTarget(dialect: Partial<Dialect> = {}, rest: Partial<Target> = {}): Target {
  return {
    providerId: 'google',
    externalId: 'gemini-3-pro',
    dialect: { ...GEMINI_DIALECT, ...dialect },
    reasoning: true,
    ...rest,
  };
}

export function openGemini(
  fields: Partial<CanonicalRequest> = {},
  dialect: Partial<Dialect> = {},
  rest: Partial<Target> = {},
): Exchange {
  return geminiOutbound.openExchange(createForeignRequest(fields), createGeminiTarget(dialect, rest));
}

/** Another format's turns as contents. */
export function encodeTurns(turns: Turn[], dialect: Partial<Dialect> = {}): unknown {
  return openGemini({ turns }, dialect).body['contents'];
}

/** A Gemini client that requests thoughts by default. */
export function openClient(
  fields: JsonObject = {},
  includeThoughts = true,
): { format: InboundFormat; request: CanonicalRequest } {
  const format = createGeminiInbound({ model: 'client-model', stream: true });
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
    generationConfig: { thinkingConfig: { includeThoughts } },
    ...fields,
  };
  return { format, request: format.decodeRequest(body, {}) };
}

export const GEMINI_REPLY: ReplyContext = {
  request: { stream: true, streamUsage: true, choices: 1 },
  answerId: 'answer',
  model: 'client-model',
  createdSeconds: 1_700_000_000,
  inputEstimate: 42,
};

/** The events of chunks and of the end of the stream. */
export function decodeChunks(chunks: readonly JsonObject[]): GenerationEvent[] {
  return decodeMessages(chunks.map((chunk) => ({ data: JSON.stringify(chunk) })));
}

export function decodeMessages(messages: readonly SseMessage[]): GenerationEvent[] {
  const decoder = openGemini().createStreamDecoder();
  return [...messages.flatMap((message) => decoder.push(message)), ...decoder.close()];
}

export function decodeGeminiBody(body: JsonObject): GenerationResult {
  const result = openGemini().decodeResult(body);
  if (isFailure(result)) throw new Error(`a failure instead of a result: ${result.message}`);
  return result;
}

/** A chunk of one candidate. */
export function chunkOf(parts: JsonObject[], rest: JsonObject = {}): JsonObject {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }] };
}

/** An answer as a Gemini client reads it from a stream. */
export function streamAnswer(result: GenerationResult, includeThoughts = true): SseMessage[] {
  const encoder = openClient({}, includeThoughts).format.createStreamEncoder(GEMINI_REPLY);
  return toEvents(result).flatMap((event) => encoder.push(event));
}

/** An answer as a Gemini client reads it whole. */
export function encodeAnswer(result: GenerationResult, includeThoughts = true): JsonObject {
  return openClient({}, includeThoughts).format.encodeResult(result, GEMINI_REPLY);
}

/** The parts of the first candidate. */
export function partsOf(chunk: JsonObject): JsonObject[] {
  const [candidate] = (chunk['candidates'] ?? []) as { content: { parts: JsonObject[] } }[];
  return candidate?.content.parts ?? [];
}
