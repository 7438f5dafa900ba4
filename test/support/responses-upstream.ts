import type { JsonObject } from '#base';
import { type CanonicalRequest, type Dialect, RESPONSES_DIALECT, type Target } from '#canonical';
import { type Exchange, getOutboundFormat } from '#wire';
import { decodeAs } from './decode-as.ts';

const REASONING: Partial<Dialect> = { efforts: ['low', 'medium', 'high'] };

export function createResponsesTarget(dialect: Partial<Dialect> = {}, changes: Partial<Target> = {}): Target {
  return {
    providerId: 'openai',
    externalId: 'upstream-model',
    dialect: { ...RESPONSES_DIALECT, ...REASONING, ...dialect },
    maxOutput: 32_000,
    reasoning: true,
    ...changes,
  };
}

/** The exchange of a request with a Responses provider. */
export function openResponses(request: CanonicalRequest, target: Target = createResponsesTarget()): Exchange {
  return getOutboundFormat('responses').openExchange(request, target);
}

/** The input items of a body. */
export function inputOf(body: JsonObject): JsonObject[] {
  return body['input'] as JsonObject[];
}

/** The body that a request of Messages becomes. */
export function sendMessages(fields: JsonObject, target?: Target): JsonObject {
  return openResponses(decodeAs('messages', fields), target).body;
}

/** The body that a request of Chat becomes. */
export function sendChat(fields: JsonObject, target?: Target): JsonObject {
  return openResponses(decodeAs('chat', fields), target).body;
}

/** A turn of a request of Messages or Chat. */
export function say(role: string, content: unknown): JsonObject {
  return { role, content: content as JsonObject };
}
