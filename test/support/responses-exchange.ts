import { type JsonObject, type SseMessage, parseJsonObject } from '#base';
import type { CanonicalRequest, GenerationEvent } from '#canonical';
import type { ReplyContext } from '../../src/wire/contract.ts';
import { responsesInbound } from '../../src/wire/responses/index.ts';

/** Only the client side of Responses, without its sibling formats. */
export function decodeResponses(fields: JsonObject = {}): CanonicalRequest {
  return responsesInbound.decodeRequest({ model: 'client-model', input: 'Hello.', ...fields }, {});
}

export function createResponsesContext(fields: JsonObject = {}): ReplyContext {
  const request = decodeResponses(fields);
  const echo = responsesInbound.createEcho?.(request);
  return {
    request,
    answerId: 'resp_answer',
    model: request.model,
    createdSeconds: 1_700_000_000,
    inputEstimate: 42,
    ...(echo && { echo }),
  };
}

export function encodeFrames(
  events: Iterable<GenerationEvent>,
  context: ReplyContext = createResponsesContext(),
): SseMessage[] {
  const encoder = responsesInbound.createStreamEncoder(context);
  return [...events].flatMap((event) => encoder.push(event));
}

/** The data of frames; a frame that is not JSON or has another name fails the test. */
export function readFrames(frames: readonly SseMessage[]): JsonObject[] {
  return frames.map(({ event, data }) => {
    const value = parseJsonObject(data);
    if (!value || value['type'] !== event) throw new Error(`not the data of ${event ?? 'nothing'}: ${data}`);
    return value;
  });
}
