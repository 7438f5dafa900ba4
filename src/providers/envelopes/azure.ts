import type { Envelope, MediumAddress } from '../envelope.ts';

/** Azure's older addresses: a model is a deployment, named in the path, and every request has an API version. */
export function createDeploymentEnvelope(apiVersion: string): Envelope {
  const address = createDeploymentAddress(apiVersion);
  return ({ path, headers, body, decodeResult, createStreamDecoder }, { target }) => ({
    path: address(path, target.externalId),
    headers,
    body,
    decodeResult,
    createStreamDecoder,
  });
}

/** The address of a deployment, for any operation. */
export function createDeploymentAddress(apiVersion: string): MediumAddress {
  return (path, externalId) =>
    `/deployments/${encodeURIComponent(externalId)}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}
