import type { InboundFormat } from '../contract.ts';
import { wantsThoughts } from './request/decode-generation-config.ts';
import { type GeminiRoute, decodeRequest } from './request/decode-request.ts';
import { encodeChoices, encodeResult } from './answer/encode-result.ts';
import { encodeError } from './answer/error.ts';
import { GeminiStreamEncoder } from './answer/stream-encoder.ts';

/** Clients of Google's `generateContent`, decoded from the body alone. */
export const geminiInbound: InboundFormat = createFormat({
  decode: (body) => decodeRequest(body, undefined),
  showsThoughts: () => true,
});

/** One request of such a client: its URL names the model and whether to stream. */
export function createGeminiInbound(route: GeminiRoute): InboundFormat {
  // The request itself is not kept: the prompt must not outlive its dispatch.
  let showsThoughts = false;
  return createFormat({
    decode: (body) => {
      const request = decodeRequest(body, route);
      showsThoughts = wantsThoughts(request);
      return request;
    },
    showsThoughts: () => showsThoughts,
  });
}

interface FormatOptions {
  decode: InboundFormat['decodeRequest'];
  /** Whether the caller requested thoughts. */
  showsThoughts(): boolean;
}

function createFormat({ decode, showsThoughts }: FormatOptions): InboundFormat {
  return {
    id: 'gemini',
    answerIdPrefix: '',
    errorStatus: 'status',
    decodeRequest: decode,
    encodeResult: (result, context) => encodeResult(result, context, showsThoughts()),
    encodeChoices: (results, usage, context) =>
      encodeChoices(results, usage, { context, showsThoughts: showsThoughts() }),
    createStreamEncoder: (context, choice) => new GeminiStreamEncoder(context, showsThoughts(), choice),
    encodeError: (error) => encodeError(error),
  };
}
