import type { Envelope, MediumAddress } from '../envelope.ts';

/** Azure's older addresses: a model is a deployment, named in the path, and every request has an API version. */
export function createDeploymentEnvelope(apiVersion: string): Envelope {
  const address = createDeploymentAddress(apiVersion);
  return (exchange, { target }) => ({ ...exchange, path: address(exchange.path, target.externalId) });
}

/** The address of a deployment, for any operation. */
export function createDeploymentAddress(apiVersion: string): MediumAddress {
  return (path, externalId) =>
    `/deployments/${encodeURIComponent(externalId)}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}
