import { GatewayError } from '#errors';

/** Refuses what this upstream cannot be told; another mapping of the model may. */
export function refuseFeature(what: string, param: string): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, { param });
}
