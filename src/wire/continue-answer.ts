import type { JsonObject } from '#base';
import type { CanonicalRequest, Turn } from '#canonical';
import { limitOutput } from './limit-output.ts';

/** An answer that has begun elsewhere. */
interface Begun {
  text: string;
  /** What is left of the limit of the request, if it has one. */
  maxOutputTokens: number | undefined;
}

/** The request for the rest of an answer: it ends with the text so far. A thinking model has thought already. */
export function continueAnswer(
  request: CanonicalRequest,
  { text, maxOutputTokens }: Begun,
): CanonicalRequest {
  if (text === '') return request;
  const { reasoning: _, origin, ...rest } = request;
  const turn: Turn = { role: 'assistant', blocks: [{ type: 'text', text }] };
  const isForwarded = origin.format === 'messages';
  const continued = {
    ...rest,
    turns: [...request.turns, turn],
    origin: isForwarded ? { ...origin, body: continueBody(origin.body, text) } : origin,
  };
  return maxOutputTokens === undefined ? continued : limitOutput(continued, maxOutputTokens);
}

/** A Messages body is sent as the caller wrote it. */
function continueBody(body: JsonObject, text: string): JsonObject {
  const { thinking: _, messages, ...rest } = body;
  return {
    ...rest,
    messages: [...(Array.isArray(messages) ? messages : []), { role: 'assistant', content: text }],
  };
}
