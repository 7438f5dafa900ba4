import type { JsonObject } from '#base';
import { type CanonicalRequest, type Dialect, RESPONSES_DIALECT, type Target } from '#canonical';
import { type Exchange, getOutboundFormat } from '#wire';

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
