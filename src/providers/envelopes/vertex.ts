import type { Envelope } from '../envelope.ts';

const VERSION = 'vertex-2023-10-16';

/** The address of Google's own models, for any operation. */
export function addressGoogle(path: string): string {
  return `/publishers/google${path}`;
}

/** Google's own models: the paths of the Gemini API below their publisher. */
export const encloseGemini: Envelope = ({ path, headers, body, decodeResult, createStreamDecoder }) => ({
  path: addressGoogle(path),
  headers,
  body,
  decodeResult,
  createStreamDecoder,
});

/** Open models on Vertex: Chat Completions at an endpoint of its own. */
export const encloseChat: Envelope = ({ path, headers, body, decodeResult, createStreamDecoder }) => ({
  path: `/endpoints/openapi${path}`,
  headers,
  body,
  decodeResult,
  createStreamDecoder,
});

/** Claude on Vertex: the model is in the path, the version in the body; betas stay a header. */
export const encloseClaude: Envelope = (exchange, { request, target }) => {
  const { headers, body, decodeResult, createStreamDecoder } = exchange;
  const enclosed: typeof body = { anthropic_version: VERSION, ...body };
  delete enclosed['model'];
  const kept = { ...headers };
  delete kept['anthropic-version'];
  const action = request.stream ? 'streamRawPredict' : 'rawPredict';
  return {
    path: `/publishers/anthropic/models/${encodeURIComponent(target.externalId)}:${action}`,
    headers: kept,
    body: enclosed,
    decodeResult,
    createStreamDecoder,
  };
};
