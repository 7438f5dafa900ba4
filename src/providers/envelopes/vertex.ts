import type { Envelope } from '../envelope.ts';

const VERSION = 'vertex-2023-10-16';

/** The address of Google's own models, for any operation. */
export function addressGoogle(path: string): string {
  return `/publishers/google${path}`;
}

/** Google's own models: the paths of the Gemini API below their publisher. */
export const encloseGemini: Envelope = (exchange) => ({ ...exchange, path: addressGoogle(exchange.path) });

/** Open models on Vertex: Chat Completions at an endpoint of its own. */
export const encloseChat: Envelope = (exchange) => ({
  ...exchange,
  path: `/endpoints/openapi${exchange.path}`,
});

/** Claude on Vertex: the model is in the path, the version in the body; betas stay a header. */
export const encloseClaude: Envelope = (exchange, { request, target }) => {
  const { model: _model, ...body } = exchange.body;
  const { 'anthropic-version': _version, ...headers } = exchange.headers;
  const action = request.stream ? 'streamRawPredict' : 'rawPredict';
  return {
    ...exchange,
    path: `/publishers/anthropic/models/${encodeURIComponent(target.externalId)}:${action}`,
    headers,
    body: { anthropic_version: VERSION, ...body },
  };
};
