import type { Envelope } from '../envelope.ts';

/** Azure's older addresses: a model is a deployment, named in the path, and every request says which version it speaks. */
export function createDeploymentEnvelope(apiVersion: string): Envelope {
  return ({ path, headers, body, decodeResult, createStreamDecoder }, { target }) => ({
    path: `/deployments/${encodeURIComponent(target.externalId)}${path}?api-version=${encodeURIComponent(apiVersion)}`,
    headers,
    body,
    decodeResult,
    createStreamDecoder,
  });
}
